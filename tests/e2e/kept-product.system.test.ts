// A product around its payments, in real processes: it rests, shows itself, and is started again.
import { afterAll, beforeAll, expect, test } from "vitest";
import { preAuthorization, startProduct, type RunningSandbox } from "./running-sandbox.ts";
import { expectConsoleWalk, expectDemonstratedDay } from "./stories/demo.ts";
import { expectQuietServices } from "./stories/idle.ts";

let product: RunningSandbox;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(() => product?.cleanUp());

test("a product that nothing is asked of leaves its database alone: two statements a second at most, of all processes", () =>
  expectQuietServices(product));

test("the demo walks a merchant's day through every process, and prints no secret", () =>
  expectDemonstratedDay(product));

test("the demo's walk through the console leads to pages that are there, and to a refund that waits", () =>
  expectConsoleWalk(product));

test("a second start with the same home finds yesterday's payments and the same merchant", async () => {
  const reserved = await product.merchant()("POST", "/api/pre-authorization", preAuthorization());
  const { merchants } = product.file;
  await product.stop();
  product = await startProduct({ home: product.home });
  expect(product.file.merchants).toEqual(merchants);
  const found = await product.merchant()("GET", `/api/payment/${reserved.body.paymentId}`);
  expect(found).toMatchObject({ status: 200, text: reserved.text });
});
