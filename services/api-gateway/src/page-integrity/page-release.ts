/**
 * The headers that a buyer's browser has to get from this version, and the files that its page loads.
 * `docs/page-scripts.md` documents them; `npm run page-integrity` compares them with a browser's.
 */
import { createHash } from "node:crypto";
import { commonHeaders } from "../http/exchange.ts";
import { ASSET_HEADERS, loadPageAssets } from "../public-pages/checkout/page-assets.ts";
import { pageHeaders } from "../public-pages/checkout/page-headers.ts";
import { reportingEndpoints, reportsPathOf } from "../public-pages/page-reports/report-headers.ts";

export type PageRelease = {
  /** The headers, with `{nonce}` for the part that is new in every answer, and `{base}` for the pages' path. */
  headers: Record<string, string>;
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
  const headers = {
    ...common(),
    ...pageHeaders("{nonce}", reportsPathOf(PUBLIC_URL)),
    ...reportingEndpoints(PUBLIC_URL),
  };
  return JSON.parse(
    JSON.stringify({
      headers: inLowerCase(headers),
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
