import {
  listAllStatements,
  listMerchantStatements,
  listStatements,
  listStatementsOfMerchants,
  ROW_MEDIA_TYPES,
  STATEMENT_DAYS_MAX,
  merchantStatementSchema,
  type CommandReply,
  type RowMediaType,
  type Statement,
  type StatementQuery,
} from "@holdfast/contracts";
import Negotiator from "negotiator";
import { operatorRefusalOf, refusalOf } from "../bus/command-answer.ts";
import type { SendCommand, SendOperatorCommand } from "../bus/send-command.ts";
import { defineRoute, type Answer } from "../endpoint/route.ts";
import type { Exchange } from "../http/exchange.ts";
import { Refusal } from "../http/refusal.ts";
import { ExportInterruptedError } from "./export-rows.ts";
import { columnsOf } from "./row-columns.ts";
import { createRowWriter } from "./write-rows.ts";

/** A merchant's statements. Whose they are is known from the sign-in, and from nothing else. */
export function merchantStatementsRoute({ send }: { send: SendCommand }) {
  return defineRoute(listStatements, (call) =>
    answerStatements(
      call,
      (query) => send(listMerchantStatements, call, query),
      (reply) => refusalOf(reply, undefined),
    ),
  );
}

/** Those of all merchants, for operators. */
export function operatorStatementsRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(listStatementsOfMerchants, (call) =>
    answerStatements(call, (query) => send(listAllStatements, call, query), operatorRefusalOf),
  );
}

type Page = { items: Statement[]; nextCursor?: string | undefined };
type ReadStatements = (query: StatementQuery) => Promise<CommandReply<Page>>;
type Parameters = Omit<StatementQuery, "limit"> & { limit?: string | undefined };

/** A page of JSON, or all rows, whose first page is read before the answer begins. */
async function answerStatements(
  { exchange, query }: { exchange: Exchange; query: Parameters },
  read: ReadStatements,
  refusalOf: (reply: Exclude<CommandReply<never>, { outcome: "done" | "pending" }>) => Refusal,
): Promise<Answer<200> | Refusal> {
  const { limit, ...filter } = query;
  const days = (Date.parse(query.to) - Date.parse(query.from)) / 86_400_000;
  if (days < 0 || days >= STATEMENT_DAYS_MAX) return OUT_OF_RANGE;
  const mediaType = mediaTypeOf(exchange);
  const isPage = mediaType === "application/json";
  const first = await read({ ...filter, limit: isPage ? Number(limit ?? 50) : ROWS_AT_A_TIME });
  if (!("result" in first)) return refusalOf(first);
  if (isPage) return { status: 200, body: first.result };
  const extension = mediaType === "text/csv" ? "csv" : "ndjson";
  return {
    status: 200,
    headers: {
      "Content-Type": `${mediaType}; charset=utf-8`,
      "Content-Disposition": `attachment; filename="statements-${query.from}-${query.to}.${extension}"`,
    },
    rows: () =>
      rowsFrom(first.result, mediaType, (cursor) => read({ ...filter, limit: ROWS_AT_A_TIME, cursor })),
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

function mediaTypeOf({ req }: Exchange): RowMediaType | "application/json" {
  const offered = ["application/json", ...Object.keys(ROW_MEDIA_TYPES)];
  return (new Negotiator(req).mediaType(offered) ?? "application/json") as RowMediaType | "application/json";
}

async function* rowsFrom(
  first: Page,
  mediaType: RowMediaType,
  next: (cursor: string) => Promise<CommandReply<Page>>,
): AsyncGenerator<string> {
  const writer = createRowWriter(mediaType, columnsOf(merchantStatementSchema), { bom: false });
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
