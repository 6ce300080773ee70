import { IncomingMessage } from "node:http";
import { Socket } from "node:net";

import { expect, test } from "vitest";

import { readBody } from "./read-body.ts";

test("a client that goes away before the end of its body ends the wait for it", async () => {
  const request = new IncomingMessage(new Socket());
  const body = readBody(request);
  request.push("{");
  request.destroy(new Error("gone"));
  await expect(body).rejects.toThrow("gone");
});

test("a body in pieces is read as one", async () => {
  const request = new IncomingMessage(new Socket());
  const body = readBody(request);
  for (const piece of ['{"a"', ': "é', '"}', null]) request.push(piece);
  expect(await body).toMatchObject({ kind: "read", text: '{"a": "é"}' });
});
