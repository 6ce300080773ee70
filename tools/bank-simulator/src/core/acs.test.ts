import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { expect, onTestFinished, test } from "vitest";

import { routeAcs, type AcsSession, type CardholderAnswer } from "./acs.ts";

/** The issuer's pages with one session, `s`, that keeps the answers. */
async function startAcs(unasked?: CardholderAnswer, endsAtMs = 1) {
  const answers: CardholderAnswer[] = [];
  const session = (): AcsSession => ({
    id: "s",
    paying: "TRY 1.00 to <b>",
    isOpen: answers.length === 0,
    isTooLate: (nowMs) => nowMs >= endsAtMs,
    unasked,
    answer: (answer) => void answers.push(answer),
    back: (isCancelled) => ({
      method: isCancelled ? "get" : "post",
      url: "https://shop.example/?a=1",
      fields: [["status", answers.join()]],
    }),
  });
  const options = {
    find: (id: string) => (id === "s" ? session() : undefined),
    now: () => 0,
    publicUrlOf: () => "https://bank.example",
  };
  const server = createServer((request, response) => {
    const [path = "", query = ""] = request.url!.split("?");
    void routeAcs(options, `${request.method} ${path}`, query, request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/acs/`;
  const send = (path: string, fields: Record<string, string>) => {
    const body = new URLSearchParams({ session: "s", ...fields });
    return fetch(`${url}${path}`, { method: "POST", body, redirect: "manual" });
  };
  const post = async (path: string, fields: Record<string, string>) => (await send(path, fields)).text();
  return { answers, url, send, post };
}

test("the page has the whole address of the issuer, and escapes what it shows", async () => {
  const { answers, url, post } = await startAcs();
  const page = await post("challenge", {});
  expect(await (await fetch(`${url}challenge?session=s`)).text()).toBe(page);
  expect(page).toContain('action="https://bank.example/acs/answer"');
  expect(page).toContain("to &#60;b&#62;");
  expect(answers).toEqual([]);
});

test.each([
  [{ code: "123456", answer: "submit" }, "right_code"],
  [{ code: "654321", answer: "submit" }, "wrong_code"],
])("%j is the answer %s, once", async (fields, expected) => {
  const { answers, post } = await startAcs();
  for (let count = 0; count < 2; count += 1) {
    expect(await post("answer", fields as Record<string, string>)).toContain(
      `name="status" value="${expected}"`,
    );
  }
  expect(answers).toEqual([expected]);
});

test("a cardholder who is not asked goes straight back", async () => {
  const { answers, post } = await startAcs("wrong_code");
  expect(await post("challenge", {})).toContain('action="https://shop.example/?a=1"');
  expect(answers).toEqual(["wrong_code"]);
});

test("a cancellation may lead back by GET, with the address's own query", async () => {
  const { answers, send } = await startAcs();
  const back = await send("answer", { code: "123456", answer: "cancel" });
  expect(back.status).toBe(303);
  expect(back.headers.get("location")).toBe("https://shop.example/?a=1&status=cancelled");
  expect(answers).toEqual(["cancelled"]);
});

test.each([
  ["that is over", 0, "s", 410],
  ["that was never opened", 1, "x", 404],
])("a session %s has no page and takes no answer", async (_name, endsAtMs, session, status) => {
  const { answers, send } = await startAcs(undefined, endsAtMs);
  for (const path of ["challenge", "answer"]) expect((await send(path, { session })).status).toBe(status);
  expect(answers).toEqual([]);
});
