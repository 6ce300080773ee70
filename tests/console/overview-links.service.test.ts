// Each figure of the overviews leads to a list with exactly what it counts.
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertPayments } from "../lists/list-rows.ts";
import { openDispute, startRelayedConsole, type RelayedConsole } from "./relayed-console.ts";

let started: RelayedConsole;
beforeAll(async () => {
  started = await startRelayedConsole();
  const { mine } = started.shops;
  await insertPayments(started.query, { merchantId: mine.merchantId, count: 70, apartMs: 10 });
  await started.query(
    "update payments.payment set result_code = '05' where state = 'FAILED' and merchant_id = $1",
    [mine.merchantId],
  );
  // Some refunds have waited for the bank for an hour and more, and one waits for people.
  await started.query(
    `update payments.payment set recover_at = now() + interval '1 hour', recovery_attempts = 1,
       created_at = now() - interval '90 minutes' where state = 'AUTHORIZING' and merchant_id = $1`,
    [mine.merchantId],
  );
  await started.query(
    "update refunds.refund set created_at = now() - interval '5 hours' where refund_id = $1",
    [mine.things.refund],
  );
  await started.query(
    "insert into refunds.refund_approval (refund_id, approved_by, request_id) values ($1, 'cem', 'a request')",
    [mine.things.refund],
  );
  await openDispute(started, mine.things.payment);
});
afterAll(() => started?.close());

const linkOf = (escaped: string) => escaped.replaceAll("&amp;", "&");
const FIGURES = {
  sold: /data-heading="Payments"[^>]*>\s*<a href="([^"]+)"\s*>\s*(\d+)/g,
  answered:
    /<td><a href="([^"]*status=answered[^"]*)">[^<]*<\/a><\/td>\s*<td class="number">[^<]*of (\d+)\)/g,
  waiting: /<a href="((?:\/refunds|\/unresolved)\?[^"#]+)">[^<]*<\/a>\s*<\/td>\s*<td[^>]*>\s*(\d+)/g,
  proposals: /<a href="(\/unresolved\?[^"]+#proposals)">[^<]*<\/a>\s*<\/td>\s*<td[^>]*>\s*(\d+)/g,
  disputes: /<a href="(\/disputes\?[^"]+)">[^<]*<\/a>\s*<\/td>\s*<td[^>]*>\s*(\d+)/g,
};

/**
 * The number of rows of a list, counted in its file. Disputes have no file, and proposals are a section of a
 * page.
 */
async function countOf(session: string, link: string): Promise<number> {
  if (link.endsWith("#proposals")) {
    const [, section = ""] = (await started.get(session, link)).text.split('id="proposals"');
    return section.match(/data-heading="Decision"/g)?.length ?? 0;
  }
  if (link.startsWith("/disputes"))
    return (await started.get(session, link)).text.match(/class="order"/g)?.length ?? 0;
  const file = link
    .replace("/unresolved?", "/payments.csv?unresolved=true&")
    .replace(/^\/(payments|refunds)\?/, "/$1.csv?");
  const { status, text } = await started.get(session, file);
  expect(status, file).toBe(200);
  return Number(/^#rows,(\d+)/m.exec(text)![1]);
}

test.each([
  ["operator", ["sold", "answered", "waiting", "proposals", "disputes"]],
  ["staff", ["sold", "answered", "waiting", "disputes"]],
] as const)("the figures of the %s overview are the rows of their lists", async (person, kinds) => {
  const session = await started.signIn(person, { subject: person === "staff" ? "mina" : "olga" });
  const { text } = await started.get(session, "/");
  for (const kind of kinds) {
    const figures = [...text.matchAll(FIGURES[kind])];
    expect(figures.length, kind).toBeGreaterThan(0);
    for (const [, link = "", count] of figures)
      expect(await countOf(session, linkOf(link)), `${kind}: ${link}`).toBe(Number(count));
  }
});

test("the groups of ages are those of their lists", async () => {
  const session = await started.signIn("operator", { subject: "olga" });
  const { text } = await started.get(session, "/");
  const groups = text.matchAll(
    /<td><a href="(\/(?:refunds|unresolved)\?[^"]+)">[^<]*<\/a><\/td>\s*<td class="number">(\d+)/g,
  );
  const counts: number[] = [];
  for (const [, link = "", count] of groups) {
    expect(await countOf(session, linkOf(link)), link).toBe(Number(count));
    counts.push(Number(count));
  }
  // Two charts of four groups each, of which some have rows.
  expect(counts).toHaveLength(8);
  expect(counts.filter((count) => count > 0).length).toBeGreaterThan(1);
});
