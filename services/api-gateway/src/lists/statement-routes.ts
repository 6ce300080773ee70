import {
  listedStatementSchema,
  merchantIdOf,
  merchantStatementSchema,
  operations,
  PAGE_MEDIA_TYPE,
  ROW_MEDIA_TYPES,
  STATEMENT_DAYS_MAX,
  type CommandReply,
  type ListedStatement,
  type RowMediaType,
  type StatementQuery,
} from "@holdfast/contracts";
import { chooseLocale } from "@holdfast/html";
import type { Kysely } from "kysely";
import Negotiator from "negotiator";
import { refusalOf } from "../bus/command-answer.ts";
import type { SendCommand, SendOperatorCommand } from "../bus/send-command.ts";
import type { GatewayDatabase } from "../database.ts";
import { defineRoute, type Answer } from "../endpoint/route.ts";
import type { Exchange } from "../http/exchange.ts";
import { Refusal } from "../http/refusal.ts";
import { findMerchantNames, withMerchantNames } from "../merchant/merchant-names.ts";
import { ExportInterruptedError } from "./export-rows.ts";
import { columnsOf, type RowColumn } from "./row-columns.ts";
import { createStatementPrinter, PRINTED_HEADERS, type PrintedRange } from "./print-statements.ts";
import { createRowWriter } from "./write-rows.ts";

/** @param issuer The company's name on printed statements. */
type Deps<Send> = { send: Send; db: Db; issuer: string | undefined };

/** A merchant's statements. The sign-in alone says whose they are. */
export function merchantStatementsRoute({ send, ...deps }: Deps<SendCommand>) {
  return defineRoute(operations.listStatements, (call) =>
    answerStatements(
      { ...call, ...deps, merchantId: call.caller.merchantId, columns: OWN_COLUMNS },
      async (query) => await send(operations.listStatements.command, call, query),
    ),
  );
}

/** The statements of all merchants, for operators. */
export function operatorStatementsRoute({ send, ...deps }: Deps<SendOperatorCommand>) {
  return defineRoute(operations.listStatementsOfMerchants, (call) =>
    answerStatements(
      { ...call, ...deps, merchantId: call.query.merchantId, columns: LISTED_COLUMNS },
      async (query) => {
        const reply = await send(operations.listStatementsOfMerchants.command, call, query);
        if (!("result" in reply)) return reply;
        const items = await withMerchantNames(deps.db, reply.result.items);
        return { ...reply, result: { ...reply.result, items } };
      },
    ),
  );
}

const OWN_COLUMNS = columnsOf(merchantStatementSchema);
const LISTED_COLUMNS = columnsOf(listedStatementSchema);

type Db = Kysely<GatewayDatabase>;
type Page = { items: ListedStatement[]; nextCursor?: string | undefined };
type ReadStatements = (query: StatementQuery) => Promise<CommandReply<Page>>;
type Parameters = Omit<StatementQuery, "limit"> & { limit?: string | undefined; bom?: "1" | undefined };
type Asked = Omit<Deps<never>, "send"> & {
  exchange: Exchange;
  query: Parameters;
  /** The requested merchant, in a mode; undefined for all merchants. */
  merchantId: string | undefined;
  columns: RowColumn[];
};

/** A page of JSON, or all rows, whose first page is read before the answer begins: for programs, or for a printer. */
async function answerStatements(asked: Asked, read: ReadStatements): Promise<Answer<200> | Refusal> {
  const { exchange, columns } = asked;
  const { limit, bom, ...filter } = asked.query;
  const days = (Date.parse(filter.to) - Date.parse(filter.from)) / 86_400_000;
  if (days < 0 || days >= STATEMENT_DAYS_MAX) return OUT_OF_RANGE;
  const mediaType = mediaTypeOf(exchange);
  if (bom !== undefined && mediaType !== "text/csv") return MISPLACED_BOM;
  const isPage = mediaType === "application/json";
  const first = await read({ ...filter, limit: isPage ? Number(limit ?? 50) : ROWS_AT_A_TIME });
  if (!("result" in first)) return refusalOf(first);
  if (isPage) return { status: 200, body: first.result };
  const next = (cursor: string) => read({ ...filter, limit: ROWS_AT_A_TIME, cursor });
  if (mediaType === PAGE_MEDIA_TYPE) {
    const printer = createStatementPrinter(await printedRange(asked));
    return { status: 200, headers: PRINTED_HEADERS, rows: () => rowsFrom(first.result, printer, next) };
  }
  const extension = mediaType === "text/csv" ? "csv" : "ndjson";
  const writer = createRowWriter(mediaType, columns, { bom: bom !== undefined });
  return {
    status: 200,
    headers: {
      "Content-Type": `${mediaType}; charset=utf-8`,
      "Content-Disposition": `attachment; filename="statements-${filter.from}-${filter.to}.${extension}"`,
    },
    rows: () => rowsFrom(first.result, writer, next),
  };
}

async function printedRange({ exchange, query, merchantId, db, issuer }: Asked): Promise<PrintedRange> {
  const { from, to, currency } = query;
  const locale = chooseLocale(undefined, exchange.req.headers["accept-language"]);
  const range = { from, to, currency, issuer, locale, now: new Date() };
  if (merchantId === undefined) return range;
  const live = merchantIdOf(merchantId);
  const name = (await findMerchantNames(db, [live])).get(live) ?? merchantId;
  return { ...range, merchant: { merchantId, name } };
}

const ROWS_AT_A_TIME = 200;

const OUT_OF_RANGE = new Refusal("validation_failed", {
  members: {
    errors: [
      {
        field: "to",
        code: "out_of_range",
        message: `must not be before from, and at most ${STATEMENT_DAYS_MAX} days in all`,
      },
    ],
  },
});

const MISPLACED_BOM = new Refusal("validation_failed", {
  members: { errors: [{ field: "bom", code: "not_allowed", message: "is allowed with text/csv only" }] },
});

type MediaType = RowMediaType | typeof PAGE_MEDIA_TYPE | "application/json";

function mediaTypeOf({ req }: Exchange): MediaType {
  const offered = ["application/json", ...Object.keys(ROW_MEDIA_TYPES), PAGE_MEDIA_TYPE];
  return (new Negotiator(req).mediaType(offered) ?? "application/json") as MediaType;
}

/** Writes the text of an answer, page by page. */
type Writer = { head: string; page(items: ListedStatement[]): string; end(count: number): string };

async function* rowsFrom(
  first: Page,
  writer: Writer,
  next: (cursor: string) => Promise<CommandReply<Page>>,
): AsyncGenerator<string> {
  yield writer.head;
  let count = 0;
  for (let page = first; ;) {
    count += page.items.length;
    yield writer.page(page.items);
    if (page.nextCursor === undefined) break;
    const reply = await next(page.nextCursor);
    // The answer is cut off, so that nobody takes it for complete.
    if (!("result" in reply)) throw new ExportInterruptedError("a page of statements could not be read");
    page = reply.result;
  }
  yield writer.end(count);
}
