// A press whose question no script has asked: a page asks it, and its own button carries out what the form was for.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRelayedConsole, type RelayedConsole } from "./relayed-console.ts";

let started: RelayedConsole;
let session: string;
beforeAll(async () => {
  started = await startRelayedConsole();
  session = await started.signIn("operator", { subject: "decider" });
});
afterAll(() => started?.close());

const QUESTION = "Approve: TRY 1.00, order o-1?";
const changes = (calls: string[]) => calls.filter((call) => !call.startsWith("GET "));

/** The address and fields that the button of the page that asks sends. */
function buttonOf(text: string): { action: string; fields: URLSearchParams } {
  const [main = ""] = /<main[^]*<\/main>/.exec(text) ?? [];
  const fields = [...main.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  return {
    action: /<form[^>]* action="([^"]*)"/.exec(main)?.[1] ?? "",
    fields: new URLSearchParams(fields.map(([, name = "", value = ""]): [string, string] => [name, value])),
  };
}

test("an approval is asked about before it is made, and is then made once however often it is sent", async () => {
  const { refund } = started.shops.mine.things;
  const path = `/refunds/${refund}/approve`;
  const asked = await started.post(session, path, { question: QUESTION, key: randomUUID() });
  expect([asked.status, changes(asked.calls)]).toEqual([200, []]);
  expect(asked.text).toContain(QUESTION);
  expect(asked.text).toContain(`href="/refunds/${refund}"`);
  const { action, fields } = buttonOf(asked.text);
  expect(action).toBe(path);
  expect(fields.has("question")).toBe(false);
  const first = await started.post(session, action, fields);
  expect(changes(first.calls)).toEqual([`POST /operator${path}`]);
  const second = await started.post(session, action, fields);
  expect(second.status).toBe(first.status);
  const approvals = "select approved_by from refunds.refund_approval where refund_id = $1";
  expect((await started.query(approvals, [refund])).length).toBeLessThanOrEqual(1);
});

test("every field goes along, in the reader's language, and a secret is made by the second press alone", async () => {
  const { merchantId, things } = started.shops.mine;
  const path = `/merchants/${merchantId}/rotate-secret`;
  const next = async () =>
    await started.query("select next_version from webhooks.endpoint where endpoint_id = $1", [
      things.endpoint,
    ]);
  const form = { endpointId: things.endpoint, question: "Yeni bir gizli anahtar?" };
  const asked = await started.post(session, path, form, {
    Origin: started.url,
    "Accept-Language": "tr",
  });
  expect([asked.status, changes(asked.calls)]).toEqual([200, []]);
  for (const text of ["Yeni bir gizli anahtar?", "Evet, yap", "Hayır, geri dön"])
    expect(asked.text).toContain(text);
  expect(await next()).toEqual([{ next_version: null }]);
  const { action, fields } = buttonOf(asked.text);
  expect(fields.get("endpointId")).toBe(things.endpoint);
  expect((await started.post(session, action, fields)).status).toBe(200);
  expect(await next()).toEqual([{ next_version: 2 }]);
  const { text } = await started.get(session, `/merchants/${merchantId}`);
  expect(text).toMatch(/name="question"\s+value="Sign webhooks to [^"]+ with the new secret alone\?/);
});

test("a question that another site sends, or a form without the session's token, is not even shown", async () => {
  const path = `/refunds/${started.shops.mine.things.refund}/approve`;
  const foreign = [
    await started.post(session, path, { question: QUESTION }, { Origin: "https://evil.example" }),
    await started.post(session, path, { question: QUESTION, formToken: "stale" }),
  ];
  for (const { status, text, calls } of foreign) {
    expect([status, calls]).toEqual([403, []]);
    expect(text).not.toContain(QUESTION);
  }
});

test("after the session's end the form is given back, and asks again", async () => {
  const page = `/merchants/${started.shops.mine.merchantId}`;
  const { text } = await started.get(session, page);
  expect(text).toMatch(/name="question"\s+value="Suspend /);
  const [, formToken = ""] = /<main[^]*?name="formToken" value="([^"]+)"/.exec(text) ?? [];
  const sent = await started.post(undefined, `${page}/suspend`, { formToken, question: "Suspend it?" });
  expect([sent.status, sent.calls]).toEqual([303, []]);
  const [kept] = await started.query<{ count: number }>("select count(*)::int from console.kept_form");
  expect(kept).toEqual({ count: 1 });
  const [merchant] = await started.query("select status from gateway.merchant where merchant_id = $1", [
    started.shops.mine.merchantId,
  ]);
  expect(merchant).toEqual({ status: "ACTIVE" });
});
