import { randomUUID } from "node:crypto";
import { eventually } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { http } from "../../../test/http-client.ts";
import { sendSlowBody } from "../../../test/slow-body.ts";
import { pageOf, startTestCheckouts } from "../../../test/test-checkouts.ts";
import { startTestGateway } from "../../../test/test-gateway.ts";

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const CARD = {
  pan: "4111111111111111",
  cardHolderName: "Ada Lovelace",
  expiry: "12/30",
  cvv: "937",
  installmentCount: "1",
};

/** A gateway with one merchant, for which every checkout exists. */
async function setUp(settings: Record<string, string>) {
  const gateway = await startTestGateway({ TRUSTED_PROXIES: "127.0.0.0/8", ...settings });
  const checkouts = await startTestCheckouts(gateway.nats.url);
  onTestFinished(async () => {
    await checkouts.stop();
    await gateway.stop();
  });
  const merchants = [await gateway.createMerchant(), await gateway.createMerchant()];
  const pages = merchants.map(({ merchantId }) => pageOf({ merchantId }));
  checkouts.answers.view = async (asked) => {
    const found = pages.find(({ checkoutId }) => checkoutId === asked);
    return found ? { outcome: "done", result: found } : { outcome: "problem", code: "checkout_not_found" };
  };
  const port = gateway.ports.public;
  const from = (address: string) => ({ "x-forwarded-for": address });
  /** A buyer who opens the page and pays. @returns the status of both answers. */
  const buy = async ({ checkoutId }: (typeof pages)[number], address: string) => {
    const path = `/checkout/${checkoutId}`;
    const { status, text } = await http(port, { path, headers: from(address) });
    const value = (name: string) => new RegExp(`name="${name}"\\s+value="([^"]+)"`).exec(text)?.[1] ?? "";
    const form = { paymentId: value("paymentId"), token: value("token"), ...CARD };
    const headers = { ...FORM, ...from(address) };
    const body = new URLSearchParams(form).toString();
    return [status, (await http(port, { method: "POST", path: `${path}/pay`, headers, body })).status];
  };
  const slowForm = (address: string) =>
    sendSlowBody(port, `/checkout/${randomUUID()}/pay`, { ...FORM, ...from(address) });
  return { checkouts, pages, buy, slowForm };
}

test("512 forms that do not arrive, for checkouts nobody knows, shut out no buyer", async () => {
  const { checkouts, pages, buy, slowForm } = await setUp({
    // Fewer permits than bodies: if a form took a permit before it has arrived, none would be left to buyers.
    REQUESTS_IN_FLIGHT_MAX: "64",
    LOCAL_REQUESTS_IN_FLIGHT_MAX: "64",
    BODIES_IN_FLIGHT_MAX: "256",
  });
  checkouts.answers.pay = async () => ({ outcome: "done", result: { ...pages[0]!, status: "COMPLETED" } });
  const addresses = Array.from({ length: 8 }, (_, host) => `198.51.100.${host + 1}`);
  await Promise.all(addresses.flatMap((address) => Array.from({ length: 64 }, () => slowForm(address))));
  for (let host = 1; host <= 10; host++) {
    expect(await buy(pages[host % 2]!, `203.0.113.${host}`)).toEqual([200, 303]);
  }
});

test("payments of one merchant's checkouts that hang leave the places of another's", async () => {
  const { checkouts, pages, buy } = await setUp({ REQUESTS_IN_FLIGHT_MAX: "8" });
  const [noisy, other] = pages as [(typeof pages)[number], (typeof pages)[number]];
  const release = Promise.withResolvers<void>();
  let held = 0;
  checkouts.answers.pay = async (merchantId) => {
    if (merchantId !== noisy.merchantId) return { outcome: "done", result: other };
    held++;
    await release.promise;
    return { outcome: "done", result: noisy };
  };
  const hanging = [buy(noisy, "198.51.100.1"), buy(noisy, "198.51.100.2")];
  await eventually(() => expect(held).toBe(2));
  expect(await buy(noisy, "198.51.100.3")).toEqual([200, 503]);
  expect(await buy(other, "198.51.100.4")).toEqual([200, 303]);
  release.resolve();
  expect(await Promise.all(hanging)).toEqual([
    [200, 303],
    [200, 303],
  ]);
});

test("forms of one address, or for one checkout, that hang leave places to all other buyers", async () => {
  const { checkouts, pages, buy } = await setUp({
    REQUESTS_IN_FLIGHT_MAX: "16",
    REQUESTS_IN_FLIGHT_SHARE: "1",
  });
  const [known, other] = pages as [(typeof pages)[number], (typeof pages)[number]];
  const release = Promise.withResolvers<void>();
  let held = 0;
  checkouts.answers.pay = async (merchantId) => {
    if (merchantId === known.merchantId) {
      held++;
      await release.promise;
    }
    return { outcome: "done", result: known };
  };
  const [mallory, ...friends] = Array.from({ length: 4 }, (_, host) => `198.51.100.${host + 1}`);
  // An eighth of the permits.
  const ofAddress = [buy(known, mallory!), buy(known, mallory!)];
  await eventually(() => expect(held).toBe(2));
  expect(await buy(other, mallory!)).toEqual([200, 503]);
  // Four of one checkout, from wherever.
  const ofCheckout = [buy(known, friends[0]!), buy(known, friends[1]!)];
  await eventually(() => expect(held).toBe(4));
  expect(await buy(known, friends[2]!)).toEqual([200, 503]);
  expect(await buy(other, friends[2]!)).toEqual([200, 303]);
  release.resolve();
  for (const bought of [...ofAddress, ...ofCheckout]) expect(await bought).toEqual([200, 303]);
});
