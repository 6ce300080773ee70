/**
 * The page that a buyer's browser has to get from this version: the headers of the checkout page, every tag that runs
 * or loads something, and the files that these load. `released-pages.json` is this, generated and in the image; `npm
 * run page-integrity` compares it with the page that a browser gets.
 */
import { createHash } from "node:crypto";
import { commonHeaders } from "../http/exchange.ts";
import { ASSET_HEADERS, loadPageAssets } from "../public-pages/checkout/page-assets.ts";
import { pageHeaders } from "../public-pages/checkout/page-headers.ts";
import { renderPage } from "../public-pages/checkout/render-page.ts";
import { html } from "@holdfast/html";
import { reportingEndpoints, reportsPathOf } from "../public-pages/page-reports/report-headers.ts";
import { activeTags } from "./active-tags.ts";

export type PageRelease = {
  /** The headers, with `{nonce}` for the part that is new in every answer, and `{base}` for the pages' path. */
  headers: Record<string, string>;
  tags: string[];
  assets: ReleasedAsset[];
};
export type ReleasedAsset = {
  path: string;
  sha256: string;
  integrity: string;
  headers: Record<string, string>;
};

export function describeRelease(): PageRelease {
  const assets = loadPageAssets(PUBLIC_URL);
  const path = `${BASE}/checkout/1`;
  const frame = { assets, locale: { language: "en", locale: "en" }, nonce: "{nonce}", path } as const;
  const headers = {
    ...common(),
    ...pageHeaders("{nonce}", reportsPathOf(PUBLIC_URL)),
    ...reportingEndpoints(PUBLIC_URL),
  };
  return JSON.parse(
    JSON.stringify({
      headers: inLowerCase(headers),
      tags: activeTags(renderPage(frame, html``)),
      assets: Object.values(assets).map(({ path: assetPath, integrity, mediaType, body }) => ({
        path: assetPath,
        sha256: createHash("sha256").update(body).digest("hex"),
        integrity,
        headers: inLowerCase({ ...common(), "Content-Type": mediaType, ...ASSET_HEADERS }),
      })),
    } satisfies PageRelease).replaceAll(BASE, "{base}"),
  ) as PageRelease;
}

/** Stands for any path that the pages are under. */
const BASE = "/__base__";
const PUBLIC_URL = `https://pay.invalid${BASE}`;

/** The headers of every answer, without its id. */
function common(): Record<string, string> {
  const { "X-Request-Id": _id, ...headers } = commonHeaders("");
  return headers;
}

/** Leaves out `Vary`, to which a proxy that compresses adds. */
function inLowerCase(headers: Record<string, string>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(entries.filter(([name]) => name !== "vary").sort());
}
