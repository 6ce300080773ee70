// Each list of the console leads to a file of all its rows, as it is narrowed on the page.
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRelayedConsole, type Audience, type RelayedConsole } from "./relayed-console.ts";
import { TEST_ACCOUNT_ID } from "../support/index.ts";

let started: RelayedConsole;
beforeAll(async () => void (started = await startRelayedConsole()));
afterAll(() => started?.close());

type Line = {
  page: string;
  file: string;
  query?: string;
  /** True for a list of one mode, which its file has too. */
  hasMode?: true;
  person?: Audience;
  asks: string;
  column: string;
  rows: number;
};

const LINES: Line[] = [
  {
    page: "/deliveries",
    file: "/deliveries.csv",
    query: "paymentId=PAYMENT&status=",
    hasMode: true,
    asks: "/operator/webhook-deliveries",
    column: "eventId",
    rows: 1,
  },
  {
    page: "/deliveries",
    file: "/deliveries.csv",
    query: "paymentId=PAYMENT",
    hasMode: true,
    person: "staff",
    asks: "/staff/webhook-deliveries",
    column: "eventId",
    rows: 1,
  },
  {
    page: "/settlement",
    file: "/settlement/differences.csv",
    query: "state=CLOSED",
    asks: "/operator/differences",
    column: "differenceId",
    rows: 0,
  },
  {
    page: "/settlement",
    file: "/settlement/imports.csv",
    query: `accountId=${TEST_ACCOUNT_ID}`,
    asks: "/operator/settlements",
    column: "importId",
    rows: 0,
  },
  {
    page: "/audit",
    file: "/audit.csv",
    query: "action=merchant.created",
    asks: "/operator/audit-log",
    column: "service",
    rows: 2,
  },
  { page: "/merchants", file: "/merchants.csv", asks: "/operator/merchants", column: "merchantId", rows: 2 },
];

const subjectOf = (person: Audience) => ({ subject: person === "staff" ? "mina" : "olga" });

test.each(LINES)(
  "$page has $file",
  async ({ page, file, query, hasMode, person = "operator", asks, column, rows }) => {
    const session = await started.signIn(person, subjectOf(person));
    const asked =
      query === undefined ? "" : `?${query.replace("PAYMENT", started.shops.mine.things.payment)}`;
    const { status, text } = await started.get(session, page + asked);
    expect(status).toBe(200);
    // An empty value is no filter.
    const link = file + asked.replace("&status=", "") + (hasMode ? "&livemode=true" : "");
    expect(text).toContain(`href="${link.replaceAll("&", "&amp;")}"`);
    const answer = await started.get(session, link);
    const lines = answer.text.trimEnd().split("\r\n");
    expect([answer.status, answer.calls]).toEqual([200, [`GET ${asks}`]]);
    // A spreadsheet recognizes UTF-8 by the mark.
    expect(lines[0]).toMatch(new RegExp(`^\u{FEFF}${column},`, "u"));
    expect(lines.at(-1)).toMatch(new RegExp(`^#rows,${rows},`));
    expect(lines).toHaveLength(rows + 2);
  },
);

test("staff have no file of what they have no page of", async () => {
  const session = await started.signIn("staff", subjectOf("staff"));
  for (const { file } of LINES.filter(({ page }) => page !== "/deliveries"))
    expect((await started.get(session, file)).status, file).toBe(404);
});
