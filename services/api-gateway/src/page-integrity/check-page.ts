/**
 * `npm run page-integrity`: fetches a checkout's page and everything it loads as a browser would. It compares
 * the headers, every tag and text, and the files' digests with this version's release (PCI DSS 11.6.1). Run
 * it from outside, through everything in front of the gateway.
 */
import { httpFetch, readBounded } from "@holdfast/service-runtime";
import { readCommandLine, UsageError } from "@holdfast/service-runtime/command-line";
import { LANGUAGES, type Language } from "@holdfast/html";
import { baseOf, compareAsset, comparePage, type Compared, type Received } from "./compare-page.ts";
import { describeRelease } from "./page-release.ts";

const HELP = `npm run page-integrity -- --url https://pay.example/checkout/ID [--shop https://shop.example ...] [--allow-header NAME ...]

  --url            a checkout's page; one that is open is best
  --shop           where a page of a checkout that is over may lead
  --allow-header   a header that your own proxy adds

The page is compared in each of its languages. A version is compared by its own image.

Exit codes: 0 as released, 1 different, 2 could not be compared.
`;

type Output = (text: string) => void;

/** @returns the exit code. @throws where the page could not be compared */
export async function checkPage(args: string[], _env: NodeJS.ProcessEnv, out: Output): Promise<number> {
  const line = readCommandLine(args, {
    help: HELP,
    options: {
      url: { type: "string" },
      shop: { type: "string", multiple: true, default: [] },
      "allow-header": { type: "string", multiple: true, default: [] },
    },
  });
  if (!line) return 0;
  const { url, shop, "allow-header": allowedHeaders } = line.values;
  if (url === undefined) throw new UsageError("--url is required");
  const { page, differences } = await compare(url, { allowedHeaders, shops: shop.map(originOf) });
  for (const { what, released, received } of differences) {
    out(
      `${what}\n  - ${released ?? "(not there)"}\n  + ${received?.replaceAll(/\p{C}/gu, "?") ?? "(not there)"}\n`,
    );
  }
  out(
    differences.length === 0
      ? `as released: ${page}\n`
      : `${differences.length} differences; - is released, + is received\n`,
  );
  return differences.length === 0 ? 0 : 1;
}

function originOf(shop: string): string {
  if (!URL.canParse(shop)) throw new UsageError("--shop must be an address, such as https://shop.example");
  return new URL(shop).origin;
}

async function compare(url: string, options: Parameters<typeof comparePage>[2]): Promise<Compared> {
  const release = describeRelease();
  const pages: Received[] = [];
  for (const language of LANGUAGES) pages.push(await fetchPage(url, language));
  const compared = pages.map((page, index) =>
    comparePage(page, release, { ...options, language: LANGUAGES[index]! }),
  );
  const differences = compared.flatMap((each) => each.differences);
  // A nonce that two answers share is not a nonce.
  if (new Set(pages.map(({ headers }) => headers["content-security-policy"])).size < pages.length) {
    differences.push({ what: "nonce of two answers", released: "two nonces", received: "one nonce" });
  }
  for (const asset of release.assets) {
    const file = await receive(new URL(url).origin + baseOf(url) + asset.path, "*/*");
    differences.push(...compareAsset(file, asset, options));
  }
  return { page: compared[0]!.page, differences };
}

async function fetchPage(url: string, language: Language): Promise<Received> {
  const asked = new URL(url);
  asked.search = `?lang=${language}`;
  return await receive(asked.href, "text/html,application/xhtml+xml,*/*;q=0.8");
}

/** @throws if there is no answer, or one that is neither a page nor "not found". */
async function receive(url: string, accept: string): Promise<Received> {
  const response = await httpFetch(url, {
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
    headers: { Accept: accept, "Accept-Language": "en", "User-Agent": BROWSER },
  });
  const bytes = await readBounded(response, BODY_BYTES_MAX);
  if (!bytes) throw new Error(`${url} has more than ${BODY_BYTES_MAX} bytes`);
  if (response.status !== 200 && response.status !== 404) {
    throw new Error(`${url} was answered with ${response.status}, so it cannot be compared`);
  }
  return { url, headers: Object.fromEntries(response.headers), body: bytes.toString("utf8") };
}

const FETCH_TIMEOUT_MS = 15_000;
const BODY_BYTES_MAX = 1_024 * 1_024;

/** A proxy may treat browsers in another way than programs. */
const BROWSER =
  "Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
