import { describe, expect, test } from "vitest";

import type { CardRequest, EnrolmentRequest } from "@holdfast/acquirer";
import {
  cancelRequest,
  completionRequest,
  missingField,
  paymentRequest,
  probeRequest,
  type IyzicoRequest,
} from "./requests.ts";
import { CARD, cardRequest, enrolmentRequest, followUpRequest } from "../test/calls.ts";
import { completionRequest as completion, settingsOf } from "./test/iyzico-requests.ts";

const settings = settingsOf("https://api.iyzipay.com");
const fieldsOf = ({ body }: IyzicoRequest) => JSON.parse(body) as Record<string, unknown>;
const payment = (request: CardRequest | EnrolmentRequest) =>
  fieldsOf(paymentRequest("/payment/auth", request, settings));

describe("a payment", () => {
  test("has everything that iyzico demands, also where the merchant sent nothing of it", () => {
    const request = cardRequest({ installmentCount: 3 });
    const { orderId, reference } = request;
    const address = {
      contactName: "Ada King Lovelace",
      address: "Harbour Street 1",
      city: "Izmir",
      country: "Turkey",
    };
    expect(payment(request)).toEqual({
      locale: "en",
      conversationId: orderId,
      price: "100.00",
      paidPrice: "100.00",
      currency: "TRY",
      installment: 3,
      basketId: reference,
      paymentChannel: "WEB",
      paymentGroup: "PRODUCT",
      paymentCard: {
        cardHolderName: "Ada King Lovelace",
        cardNumber: CARD.pan,
        expireYear: "2030",
        expireMonth: "12",
        cvc: CARD.cvv,
        registerCard: 0,
      },
      buyer: {
        id: orderId,
        name: "Ada King",
        surname: "Lovelace",
        identityNumber: "11111111111",
        email: "orders@shop.example",
        registrationAddress: "Harbour Street 1",
        city: "Izmir",
        country: "Turkey",
        ip: "203.0.113.1",
      },
      shippingAddress: address,
      billingAddress: address,
      basketItems: [
        { id: "payment", name: "Order", category1: "Goods", itemType: "VIRTUAL", price: "100.00" },
      ],
    });
  });

  test("has the merchant's customer and basket where they were sent", () => {
    const billingAddress = {
      line1: "Billing 1",
      line2: "Floor 2",
      city: "Ankara",
      country: "TR",
      postalCode: "06000",
    };
    const shippingAddress = {
      contactName: "Charles Babbage",
      line1: "Shipping 1",
      city: "Bursa",
      country: "TR",
    };
    const customer = {
      id: "customer-7",
      name: "Grace",
      surname: "Hopper",
      email: "grace@buyer.example",
      phone: "+905550000000",
      identityNumber: "74300864791",
      ip: "2001:db8::7",
      billingAddress,
      shippingAddress,
    };
    const basket = [
      { id: "1", name: "Book", category: "Books", kind: "physical", amountMinor: 9_999n },
      { id: "2", name: "Voucher", category: "Vouchers", kind: "virtual", amountMinor: 1n },
      { id: "3", name: "Gift", category: "Gifts", kind: "physical", amountMinor: 0n },
    ] as const;
    expect(payment(cardRequest({ customer, basket }))).toMatchObject({
      buyer: {
        id: "customer-7",
        name: "Grace",
        surname: "Hopper",
        email: "grace@buyer.example",
        gsmNumber: "+905550000000",
        identityNumber: "74300864791",
        ip: "2001:db8::7",
        registrationAddress: "Billing 1 Floor 2",
        city: "Ankara",
        zipCode: "06000",
      },
      billingAddress: { contactName: "Grace Hopper", address: "Billing 1 Floor 2", city: "Ankara" },
      shippingAddress: { contactName: "Charles Babbage", address: "Shipping 1", city: "Bursa" },
      basketItems: [
        { id: "1", name: "Book", category1: "Books", itemType: "PHYSICAL", price: "99.99" },
        { id: "2", name: "Voucher", category1: "Vouchers", itemType: "VIRTUAL", price: "0.01" },
      ],
    });
  });

  test("that is charged more than its basket has the basket's sum as its price", () => {
    const basket = [
      { id: "1", name: "Book", category: "Books", kind: "physical", amountMinor: 10_000n },
    ] as const;
    const { customer } = cardRequest();
    const asked = cardRequest({ ...(customer && { customer }), basket, amountMinor: 10_375n });
    expect(payment(asked)).toMatchObject({
      price: "100.00",
      paidPrice: "103.75",
      basketItems: [{ price: "100.00" }],
    });
  });

  test("of a card holder with one name has it twice, since iyzico demands both", () => {
    expect(payment(cardRequest({ cardHolderName: " Teller " }))).toMatchObject({
      buyer: { name: "Teller", surname: "Teller" },
    });
  });

  test("with 3-D Secure says where the browser comes back, and one without does not", () => {
    expect(payment(enrolmentRequest())).toMatchObject({
      callbackUrl: "https://gateway.example/3ds/return/state",
    });
    expect(payment(cardRequest())).not.toHaveProperty("callbackUrl");
  });
});

test("only a payment has card data", () => {
  const parent = cardRequest();
  const others = [
    completionRequest(completion(), settings),
    cancelRequest(followUpRequest(parent), "25149157", settings),
    probeRequest(settings),
  ];
  for (const { body } of others) expect(body).not.toMatch(/"739"|5528790000000008|paymentCard/);
});

describe("what iyzico demands", () => {
  const bare = { ...settings, defaults: { ip: "203.0.113.1" } };
  const address = { line1: "1", city: "Izmir", country: "TR" };
  const customer = { email: "ada@example.com", identityNumber: "11111111111", billingAddress: address };
  const basket = [
    { id: "1", name: "Lamp", category: "Home", kind: "physical" as const, amountMinor: 10_000n },
  ];

  test.each([
    [{ basket }, "customer.email"],
    [{ customer: { email: "ada@example.com" }, basket }, "customer.identityNumber"],
    [{ customer: { ...customer, billingAddress: undefined! }, basket }, "customer.billingAddress"],
    [{ customer }, "basket"],
    [{ customer, basket: basket.map((item) => ({ ...item, amountMinor: 0n })) }, "basket"],
    [{ customer, basket }, undefined],
  ])("case %#", (request, field) => {
    expect(missingField(request, bare)).toBe(field);
    expect(missingField(request, settings)).toBeUndefined();
  });

  test("a shipping address does for a billing address", () => {
    const { billingAddress: shippingAddress, ...rest } = customer;
    expect(missingField({ customer: { ...rest, shippingAddress }, basket }, bare)).toBeUndefined();
  });

  test("is not sent without", () => {
    expect(() => paymentRequest("/payment/auth", cardRequest(), bare)).toThrow(TypeError);
  });
});
