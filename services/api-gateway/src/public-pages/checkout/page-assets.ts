import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assetPath } from "@holdfast/assets";
import { DESIGN_TOKENS } from "@holdfast/html";
import { withoutTrailingSlashes } from "../public-url.ts";

/** A file the page loads from us. Its address changes with its content, so it may be cached forever. */
export type PageAsset = {
  /** The path for the router; `href` is for browsers, which may reach us under a path. */
  path: string;
  href: string;
  integrity: string;
  mediaType: string;
  body: string;
};
export type PageAssets = { script: PageAsset; style: PageAsset };

/** The headers of assets, whose address names their content. */
export const ASSET_HEADERS = {
  "Cache-Control": "public, max-age=31536000, immutable",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** Reads the files once, at start. The page's script is written in modules, and sent as one file. */
export function loadPageAssets(publicUrl: string): PageAssets {
  const base = withoutTrailingSlashes(new URL(publicUrl).pathname);
  const folder = assetPath("services/api-gateway/src/public-pages/checkout/assets");
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const modules = ["card-number.js", "deadline.js", "receipt.js"].map((name) =>
    read(name).replaceAll(/^export /gm, ""),
  );
  const page = read("checkout.js").replaceAll(/^import [^;]*;\n/gm, "");
  return {
    script: asset(base, "js", "text/javascript; charset=utf-8", [...modules, page].join("\n")),
    style: asset(base, "css", "text/css; charset=utf-8", `${DESIGN_TOKENS}\n${read("checkout.css")}`),
  };
}

function asset(base: string, extension: string, mediaType: string, body: string): PageAsset {
  const digest = createHash("sha384").update(body).digest();
  const path = `/checkout/assets/checkout.${digest.toString("hex").slice(0, 16)}.${extension}`;
  return { path, href: `${base}${path}`, integrity: `sha384-${digest.toString("base64")}`, mediaType, body };
}
