import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { expect, onTestFinished, test } from "vitest";

import { routeAcs, type AcsSession, type CardholderAnswer } from "./acs.ts";

/** The issuer's pages with one session, `s`, that keeps the answers. */
async function startAcs(unasked?: CardholderAnswer) {
  const answers: CardholderAnswer[] = [];
  const session = (): AcsSession => ({
    id: "s",
    paying: "TRY 1.00 to <b>",
    isOpen: answers.length === 0,
    isTooLate: () => false,
    unasked,
    answer: (answer) => void answers.push(answer),
    back: () => ({ method: "post", url: "https://shop.example/", fields: [["status", answers.join()]] }),
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
  const post = async (path: string, fields: Record<string, string>) => {
    const body = new URLSearchParams({ session: "s", ...fields });
    return await (await fetch(`http://127.0.0.1:${port}/acs/${path}`, { method: "POST", body })).text();
  };
  return { answers, post };
}

test("the page has the whole address of the issuer, and escapes what it shows", async () => {
  const { answers, post } = await startAcs();
  const page = await post("challenge", {});
  expect(page).toContain('action="https://bank.example/acs/answer"');
  expect(page).toContain("to &#60;b&#62;");
  expect(answers).toEqual([]);
});

test.each([
  [{ code: "123456", answer: "submit" }, "right_code"],
  [{ code: "654321", answer: "submit" }, "wrong_code"],
  [{ code: "123456", answer: "cancel" }, "cancelled"],
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
  expect(await post("challenge", {})).toContain('action="https://shop.example/"');
  expect(answers).toEqual(["wrong_code"]);
});
