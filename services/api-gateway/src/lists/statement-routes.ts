import {
  merchantStatementSchema,
  operations,
  PAGE_MEDIA_TYPE,
  ROW_MEDIA_TYPES,
  STATEMENT_DAYS_MAX,
  type CommandReply,
  type RowMediaType,
  type Statement,
  type StatementQuery,
} from "@holdfast/contracts";
import type { Kysely } from "kysely";
import Negotiator from "negotiator";
import { refusalOf } from "../bus/command-answer.ts";
import type { SendCommand, SendOperatorCommand } from "../bus/send-command.ts";
import type { GatewayDatabase } from "../database.ts";
import { defineRoute, type Answer } from "../endpoint/route.ts";
import type { Exchange } from "../http/exchange.ts";
import { Refusal } from "../http/refusal.ts";
import { findMerchantNames } from "../merchant/merchant-names.ts";
import { ExportInterruptedError } from "./export-rows.ts";
import { columnsOf } from "./row-columns.ts";
import { createStatementPrinter, PRINTED_HEADERS } from "./print-statements.ts";
import { createRowWriter } from "./write-rows.ts";

/** A merchant's statements. Whose they are is known from the sign-in, and from nothing else. */
export function merchantStatementsRoute({ send, db }: { send: SendCommand; db: Db }) {
  return defineRoute(operations.listStatements, (call) =>
    answerStatements({ ...call, ofMerchants: false, db }, (query) =>
      send(operations.listStatements.command, call, query),
    ),
  );
}

/** The statements of all merchants, for operators. */
export function operatorStatementsRoute({ send, db }: { send: SendOperatorCommand; db: Db }) {
  return defineRoute(operations.listStatementsOfMerchants, (call) =>
    answerStatements({ ...call, ofMerchants: true, db }, (query) =>
      send(operations.listStatementsOfMerchants.command, call, query),
    ),
  );
}

type Db = Kysely<GatewayDatabase>;
type Page = { items: Statement[]; nextCursor?: string | undefined };
type ReadStatements = (query: StatementQuery) => Promise<CommandReply<Page>>;
type Parameters = Omit<StatementQuery, "limit"> & { limit?: string | undefined };

/** A page of JSON, or all rows, whose first page is read before the answer begins: for programs, or for a printer. */
async function answerStatements(
  {
    exchange,
    query,
    ofMerchants,
    db,
  }: { exchange: Exchange; query: Parameters; ofMerchants: boolean; db: Db },
  read: ReadStatements,
): Promise<Answer<200> | Refusal> {
  const { limit, ...filter } = query;
  const days = (Date.parse(query.to) - Date.parse(query.from)) / 86_400_000;
  if (days < 0 || days >= STATEMENT_DAYS_MAX) return OUT_OF_RANGE;
  const mediaType = mediaTypeOf(exchange);
  const isPage = mediaType === "application/json";
  const first = await read({ ...filter, limit: isPage ? Number(limit ?? 50) : ROWS_AT_A_TIME });
  if (!("result" in first)) return refusalOf(first);
  if (isPage) return { status: 200, body: first.result };
  const next = (cursor: string) => read({ ...filter, limit: ROWS_AT_A_TIME, cursor });
  if (mediaType === PAGE_MEDIA_TYPE) {
    const names = new Map<string, string>();
    const addNames = async (reply: CommandReply<Page>) => {
      const ids = "result" in reply ? reply.result.items.map(({ merchantId }) => merchantId) : [];
      for (const [id, name] of await findMerchantNames(db, ids)) names.set(id, name);
      return reply;
    };
    await addNames(first);
    const printer = createStatementPrinter({ from: query.from, to: query.to, ofMerchants, names });
    const named = async (cursor: string) => await addNames(await next(cursor));
    return { status: 200, headers: PRINTED_HEADERS, rows: () => rowsFrom(first.result, printer, named) };
  }
  const extension = mediaType === "text/csv" ? "csv" : "ndjson";
  return {
    status: 200,
    headers: {
      "Content-Type": `${mediaType}; charset=utf-8`,
      "Content-Disposition": `attachment; filename="statements-${query.from}-${query.to}.${extension}"`,
    },
    rows: () =>
      rowsFrom(
        first.result,
        createRowWriter(mediaType, columnsOf(merchantStatementSchema), { bom: false }),
        next,
      ),
  };
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

type MediaType = RowMediaType | typeof PAGE_MEDIA_TYPE | "application/json";

function mediaTypeOf({ req }: Exchange): MediaType {
  const offered = ["application/json", ...Object.keys(ROW_MEDIA_TYPES), PAGE_MEDIA_TYPE];
  return (new Negotiator(req).mediaType(offered) ?? "application/json") as MediaType;
}

/** Writes the text of an answer, page by page. */
type Writer = { head: string; page(items: Statement[]): string; end(count: number): string };

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
    // The answer is cut off, so that it is not taken for whole.
    if (!("result" in reply)) throw new ExportInterruptedError("a page of statements could not be read");
    page = reply.result;
  }
  yield writer.end(count);
}
