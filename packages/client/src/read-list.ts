import { backoffMs, pause } from "./carry-out.ts";
import { HoldfastError } from "./holdfast-error.ts";
import { judgeSending } from "./judge-sending.ts";
import type { CsvOptions } from "./list-filters.ts";
import type { Settings } from "./options.ts";
import { read } from "./read.ts";
import { answeredOf, fetchAnswer, silenceOf, type FetchAnswer, type Sending } from "./send-request.ts";

type Filter = Record<string, string | undefined>;

/**
 * All items of a list, newest first. A page is read when its first item is requested. An item that exists
 * when the first page is read comes exactly once, even if items are added meanwhile.
 * @throws HoldfastError if a page cannot be read, after all items before it.
 */
export async function* readList<Item>(
  settings: Settings,
  path: string,
  filter: Filter = {},
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await read(settings, withQuery(path, { limit: PAGE_ITEMS, ...filter, cursor }));
    const { items, nextCursor } = page as { items: Item[]; nextCursor?: string };
    yield* items;
    cursor = nextCursor;
  } while (cursor !== undefined);
}

/** The most that the gateway puts on a page. */
const PAGE_ITEMS = "200";

/**
 * All matching rows as CSV, piece by piece, as the gateway writes them; a piece may end anywhere. Only a whole file
 * ends without an error: its last row is `#rows` and their number.
 *
 * @throws HoldfastError `incomplete_export` where the file was cut off, and then its rows are not to be used.
 */
export async function* readCsv(
  settings: Settings,
  path: string,
  filter: Filter = {},
  { bom = false }: CsvOptions = {},
): AsyncGenerator<string, void, undefined> {
  const target = withQuery(path, { ...filter, ...(bom && { bom: "1" }) });
  const { reader, within } = await beginCsv(settings, target);
  // A requested byte order mark is a part of the file.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let end = "";
  try {
    for (let chunk = await within(reader.read()); !chunk.done; chunk = await within(reader.read())) {
      const piece = decoder.decode(chunk.value, { stream: true });
      end = (end + piece).slice(-END_LENGTH);
      yield piece;
    }
  } catch (cause) {
    throw incomplete(cause);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  const lastLine = end.trimEnd().split("\n").at(-1) ?? "";
  if (!end.endsWith("\n") || !/^#rows,\d/.test(lastLine)) throw incomplete(undefined);
}

/** The last row is shorter: it has two cells, and a comma for each of the other columns. */
const END_LENGTH = 1_000;

type Begun = {
  reader: Reader;
  /** Waits for the next piece, as long as for an answer. */
  within: <Result>(next: Promise<Result>) => Promise<Result>;
};
type Reader = ReturnType<NonNullable<FetchAnswer["body"]>["getReader"]>;

/** Retries, if the failure allows it, until the first rows are on their way. */
async function beginCsv(settings: Settings, path: string): Promise<Begun> {
  for (let attempts = 1; ; attempts++) {
    const idle = new AbortController();
    const within = async <Result>(next: Promise<Result>): Promise<Result> => {
      const timer = setTimeout(() => idle.abort(), settings.timeoutMs);
      try {
        return await next;
      } finally {
        clearTimeout(timer);
      }
    };
    const answered = await askForCsv(settings, path, idle.signal, within);
    if ("reader" in answered) return { ...answered, within };
    const verdict = judgeSending(answered);
    // A record is no answer to this question.
    if (verdict.kind === "done") throw incomplete(undefined);
    if (!verdict.error.retryable || attempts > settings.retries) throw verdict.error;
    await pause(verdict.waitMs ?? backoffMs(attempts));
  }
}

async function askForCsv(
  settings: Settings,
  path: string,
  signal: AbortSignal,
  within: Begun["within"],
): Promise<{ reader: Reader } | Sending> {
  try {
    const accept = "text/csv, application/problem+json";
    const answer = await within(fetchAnswer(settings, { method: "GET", path }, { accept, signal }));
    const isCsv = answer.headers.get("Content-Type")?.startsWith("text/csv") === true;
    if (answer.status === 200 && isCsv && answer.body) return { reader: answer.body.getReader() };
    return await within(answeredOf(answer));
  } catch (cause) {
    return silenceOf(cause);
  }
}

function incomplete(cause: unknown): HoldfastError {
  const facts = { code: "incomplete_export", retryable: true };
  return new HoldfastError("the file ended before its last row", facts, { cause });
}

function withQuery(path: string, parameters: Filter): string {
  const given = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const query = new URLSearchParams(given).toString();
  return query === "" ? path : `${path}?${query}`;
}
