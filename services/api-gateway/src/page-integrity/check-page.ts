/**
 * `npm run page-integrity`: fetches a checkout's page and what it loads as a browser gets them, and compares headers,
 * scripts, styles and digests with what this version releases (PCI DSS 11.6.1). Run it from outside, past everything that
 * stands in front of the gateway.
 */
import { readFileSync } from "node:fs";
import { assetPath } from "@holdfast/assets";
import { httpFetch } from "@holdfast/service-runtime";
import { readCommandLine, UsageError } from "@holdfast/service-runtime/command-line";
import {
  baseOf,
  compareAsset,
  comparePage,
  wayOnward,
  type Difference,
  type Received,
} from "./compare-page.ts";
import type { PageRelease } from "./page-release.ts";

const HELP = `npm run page-integrity -- --url https://pay.example/checkout/ID [--allow-header NAME ...] [--release FILE]

  --url            a checkout's page; one that is open is best, and any other UUID does for the headers and scripts
  --allow-header   a header that your own proxy adds
  --release        released-pages.json of another version (default: this version's)

Exit codes: 0 as released, 1 different, 2 could not be compared.
`;

type Output = (text: string) => void;

/** @returns the exit code. @throws where the page could not be compared */
export async function checkPage(args: string[], _env: NodeJS.ProcessEnv, out: Output): Promise<number> {
  const line = readCommandLine(args, {
    help: HELP,
    options: {
      url: { type: "string" },
      "allow-header": { type: "string", multiple: true, default: [] },
      release: { type: "string" },
    },
  });
  if (!line) return 0;
  const { values } = line;
  if (values.url === undefined) throw new UsageError("--url is required");
  const release = JSON.parse(
    readFileSync(
      values.release ?? assetPath("services/api-gateway/src/page-integrity/released-pages.json"),
      "utf8",
    ),
  ) as PageRelease;
  const { differences, onward } = await compareWith(release, values.url, values["allow-header"]);
  for (const { what, released, received } of differences) {
    out(`${what}\n  - ${released ?? "(not there)"}\n  + ${received ?? "(not there)"}\n`);
  }
  const { headers, tags, assets } = release;
  out(
    differences.length === 0
      ? `as released: ${Object.keys(headers).length} headers, ${tags.length} tags, ${assets.length} files${onward === undefined ? "" : `; it leads to ${onward}`}\n`
      : `${differences.length} differences; - is released, + is received\n`,
  );
  return differences.length === 0 ? 0 : 1;
}

async function compareWith(
  release: PageRelease,
  url: string,
  allowedHeaders: string[],
): Promise<{ differences: Difference[]; onward: string | undefined }> {
  // Twice: what is new in each answer must not be the same in both.
  const [first, second] = [await fetchPage(url), await fetchPage(url)];
  const policies = [first, second].map(({ headers }) => headers["content-security-policy"]);
  const differences = comparePage(first, release, { allowedHeaders });
  if (policies[0] === policies[1]) {
    differences.push({ what: "nonce of two answers", released: "two nonces", received: "one nonce" });
  }
  for (const asset of release.assets) {
    const file = await receive(new URL(url).origin + baseOf(url) + asset.path, "*/*");
    differences.push(...compareAsset(file, asset, { allowedHeaders }));
  }
  return { differences, onward: wayOnward(first.body) };
}

async function fetchPage(url: string): Promise<Received> {
  return await receive(url, "text/html,application/xhtml+xml,*/*;q=0.8");
}

/** @throws where there is no answer, or one that is neither a page nor the absence of one. */
async function receive(url: string, accept: string): Promise<Received> {
  const response = await httpFetch(url, {
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
    headers: { Accept: accept, "Accept-Language": "en", "User-Agent": BROWSER },
  });
  const bytes = await readBounded(url, response);
  if (response.status !== 200 && response.status !== 404) {
    throw new Error(`${url} was answered with ${response.status}, so it cannot be compared`);
  }
  return { url, headers: Object.fromEntries(response.headers), body: bytes.toString("utf8") };
}

async function readBounded(url: string, response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) throw new Error(`${url} has more than ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const FETCH_TIMEOUT_MS = 15_000;
const BODY_BYTES_MAX = 1_024 * 1_024;

/** A proxy may treat browsers in another way than programs. */
const BROWSER =
  "Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
