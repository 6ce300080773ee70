// A bank's file as finance sees it: accounts by name, and no English on a Turkish page.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TEST_ACCOUNT_ID } from "../support/index.ts";
import { startRelayedConsole, type RelayedConsole } from "./relayed-console.ts";

const IMPORT = randomUUID();
const DIFFERENCE = randomUUID();
const ACCOUNT = `<a href="/accounts/${TEST_ACCOUNT_ID}">The test&#39;s bank</a>`;

let started: RelayedConsole;
let session: string;
beforeAll(async () => {
  started = await startRelayedConsole();
  session = await started.signIn("operator", { subject: "olga" });
  await started.query(
    `insert into settlement.import (import_id, account_id, mapping, file_name, imported_by, sha256, state)
     values ($1, '${TEST_ACCOUNT_ID}', 'generic', 'bank.csv', 'alice', sha256('x'), 'PROPOSED')`,
    [IMPORT],
  );
  await started.query(
    "insert into settlement.line_fault (import_id, line_no, reason) values ($1, 1, '1 cell, not 12')",
    [IMPORT],
  );
  await started.query(
    `insert into settlement.difference (difference_id, account_id, class, import_id, line_no, detail)
     values ($1, '${TEST_ACCOUNT_ID}', 'UNREADABLE', $2, 1, 'not readable: 1 cell, not 12')`,
    [DIFFERENCE, IMPORT],
  );
});
afterAll(() => started?.close());

test.each([
  ["en", "Account at the bank"],
  ["tr", "Banka hesabı"],
])("lists of differences and of files name the account, and lead to it (%s)", async (language, heading) => {
  const { status, text } = await started.get(session, `/settlement?lang=${language}`);
  expect(status).toBe(200);
  const cells = [...text.matchAll(new RegExp(`data-heading="${heading}"[^>]*>\\s*([^]*?)\\s*</td>`, "g"))];
  // One of each list.
  expect(cells.map(([, cell]) => cell)).toEqual([ACCOUNT, ACCOUNT]);
});

test("the list is narrowed to an account that is chosen by its name", async () => {
  const { text } = await started.get(session, `/settlement?accountId=${TEST_ACCOUNT_ID}`);
  expect(text).toContain(`<option value="${TEST_ACCOUNT_ID}" selected>The test&#39;s bank</option>`);
  expect(text).toContain(`/settlement/differences/${DIFFERENCE}?`);
  const unknown = randomUUID();
  const none = await started.get(session, `/settlement?accountId=${unknown}`);
  expect(none.text).toContain(`<option value="${unknown}" selected>${unknown}</option>`);
  expect(none.text).not.toContain(`/settlement/differences/${DIFFERENCE}`);
});

test.each([
  ["en", "not readable: 1 cell, not 12"],
  ["tr", 'okunamadı: <span lang="en">1 cell, not 12</span>'],
])("the page of a difference says what differs, and at which account (%s)", async (language, detail) => {
  const { status, text } = await started.get(
    session,
    `/settlement/differences/${DIFFERENCE}?lang=${language}`,
  );
  expect(status).toBe(200);
  expect(text).toContain(`<dd>${detail}</dd>`);
  expect(text).toContain(`<dd>${ACCOUNT}</dd>`);
});

test("the reason of a line that could not be read is marked as English on a Turkish page", async () => {
  const { status, text } = await started.get(session, `/settlement/imports/${IMPORT}?lang=tr`);
  expect(status).toBe(200);
  expect(text).toContain('<span lang="en">1 cell, not 12</span>');
});

test("an amount of 1,234 that somebody has read in the file is refused at its field", async () => {
  const path = `/settlement/differences/${DIFFERENCE}/close`;
  const form = { decision: "ACCEPT_BANK", reason: "okundu", amount: "1,234", currency: "TRY" };
  const headers = { Origin: started.url, "Accept-Language": "tr" };
  const { status, text, calls } = await started.post(session, path, form, headers);
  expect([status, calls.filter((call) => call.startsWith("POST"))]).toEqual([400, []]);
  expect(text).toMatch(/id="amount-fault">\s*Bu, 1234 ya da 1 ve kesri olabilir/);
  expect(text).toContain('value="1,234"');
});
