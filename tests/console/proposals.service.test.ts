// People find what waits for them as the second person on one page, and its number on the overview.
import type { OperatorRole } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OVERVIEW_TEXTS } from "../../services/console/src/overview/overview-texts.ts";
import { TEXTS } from "../../services/console/src/ui/texts.ts";
import { insertProposals } from "../lists/proposal-rows.ts";
import { startRelayedConsole, type RelayedConsole } from "./relayed-console.ts";

let started: RelayedConsole;
beforeAll(async () => {
  started = await startRelayedConsole();
  await insertProposals(started.query, started.shops.mine.merchantId);
});
afterAll(() => started?.close());

const signIn = (roles?: OperatorRole[]) =>
  started.signIn("operator", { subject: "olga", ...(roles && { roles }) });
const sectionsOf = (text: string) => text.split('id="proposals"');
const sectionOf = (text: string) => sectionsOf(text)[1] ?? "";
/** The rows' ways to decide, and what is decided there. */
const decisionsIn = (text: string) =>
  [...sectionOf(text).matchAll(/data-heading="(?:Decision|Karar)"[^>]*>\s*<a href="([^"]+)">([^<]+)</g)].map(
    ([, href, kind]) => ({ href: href!, kind: kind! }),
  );

test.each(["en", "tr"] as const)(
  "in %s each leads to the page on which it is decided, with its merchant and its amount",
  async (language) => {
    const session = await signIn();
    const { status, text } = await started.get(session, `/unresolved?lang=${language}`);
    expect(status).toBe(200);
    const decisions = decisionsIn(text);
    const { proposals, proposalKinds } = OVERVIEW_TEXTS[language];
    expect(decisions.map(({ kind }) => kind)).toEqual(Object.values(proposalKinds));
    const amount = language === "en" ? "10.08" : "10,08";
    for (const said of [proposals, "alice", "Mina&#39;s", "The test&#39;s bank", amount])
      expect(sectionOf(text)).toContain(said);
    for (const { href } of decisions) expect((await started.get(session, href)).status, href).toBe(200);
  },
);

test("a proposed outcome stands in the list of what waits, and not a second time beside its payment or refund", async () => {
  const [undecided, waiting] = sectionsOf((await started.get(await signIn(), "/unresolved")).text);
  expect(waiting).toContain("alice");
  expect(undecided).toContain(TEXTS.en.unresolvedPayments);
  expect(undecided).not.toContain("alice");
});

test.each<[OperatorRole, string[]]>([
  ["viewer", []],
  ["approver", [OVERVIEW_TEXTS.en.proposalKinds.REFUND_APPROVAL]],
])("%s sees what this role may decide, here and on the overview", async (role, kinds) => {
  const session = await signIn([role]);
  const { text } = await started.get(session, "/unresolved");
  expect(decisionsIn(text).map(({ kind }) => kind)).toEqual(kinds);
  if (kinds.length === 0) expect(sectionOf(text)).toContain(OVERVIEW_TEXTS.en.noProposals);
  expect(await countOn(session)).toBe(kinds.length);
});

test("the overview has the number of all, and a merchant's staff have neither", async () => {
  expect(await countOn(await signIn())).toBe(8);
  const staff = await started.signIn("staff", { subject: "mina" });
  const { text, calls } = await started.get(staff, "/");
  expect(text).not.toContain("#proposals");
  expect(calls.filter((call) => call.includes("proposals"))).toEqual([]);
});

async function countOn(session: string): Promise<number> {
  const { text } = await started.get(session, "/");
  const [, count] = /#proposals">[^<]*<\/a>\s*<\/td>\s*<td[^>]*>\s*(\d+)/.exec(text)!;
  return Number(count);
}
