import type * as contracts from "@holdfast/contracts";
import { expectTypeOf, test } from "vitest";
import type { z } from "zod";
import type * as client from "./index.ts";

/**
 * The client has no dependency, so its types are written by hand, and here the compiler compares them with
 * the contracts. A code of an answer is open in the client (it may come from a later gateway), so both sides
 * are compared with their codes as strings, and each list of known codes separately. Absent and undefined are
 * equal here.
 */
type Plain<T> = T extends contracts.JsonNumber
  ? number
  : T extends string
    ? string
    : T extends readonly (infer Item)[]
      ? Plain<Item>[]
      : T extends object
        ? { [Key in keyof T]: Plain<Exclude<T[Key], undefined>> }
        : T;

/** A request as both sides have it: the client's amounts may also be texts. */
type Sent<T> = Plain<{
  [Key in keyof T]: Key extends "amount" | "installmentTotal"
    ? number
    : Key extends "basket"
      ? SentBasket<T[Key]>
      : T[Key];
}>;
type SentBasket<T> = T extends readonly (infer Item)[] ? (Omit<Item, "amount"> & { amount: number })[] : T;

type Answer<Schema extends z.ZodType> = Plain<z.infer<Schema>>;
type Request<Schema extends z.ZodType> = Sent<z.input<Schema>>;

test("the client's records are the contracts'", () => {
  expectTypeOf<Plain<client.Payment>>().toEqualTypeOf<Plain<contracts.ApiPaymentResponse>>();
  expectTypeOf<Plain<client.ThreeDsPayment>>().toEqualTypeOf<
    Answer<typeof contracts.threeDsResponseSchema>
  >();
  expectTypeOf<Plain<client.Checkout>>().toEqualTypeOf<Answer<typeof contracts.checkoutSchema>>();
  expectTypeOf<Plain<client.PaymentLink>>().toEqualTypeOf<Answer<typeof contracts.paymentLinkSchema>>();
  expectTypeOf<Plain<client.BinInfo>>().toEqualTypeOf<Answer<typeof contracts.binInfoSchema>>();
  expectTypeOf<Plain<client.WebhookEndpoint>>().toEqualTypeOf<
    Answer<typeof contracts.webhookEndpointSchema>
  >();
  // A secret is left out only of a repeated answer, and these are carried out each time.
  expectTypeOf<Plain<client.RotatedWebhookSecret>>().toEqualTypeOf<
    Required<Answer<(typeof contracts.operations.rotateWebhookSecret.responses)[200]["body"]>>
  >();
  expectTypeOf<Plain<client.WebhookHour>>().toEqualTypeOf<Answer<typeof contracts.webhookHourSchema>>();
  expectTypeOf<Plain<client.WebhookTestResult>>().toEqualTypeOf<
    Answer<typeof contracts.webhookTestResultSchema>
  >();
  expectTypeOf<Plain<client.Statement>>().toEqualTypeOf<Answer<typeof contracts.merchantStatementSchema>>();
  expectTypeOf<Plain<client.WebhookWarning>>().toEqualTypeOf<Answer<typeof contracts.webhookWarningSchema>>();
  expectTypeOf<Plain<client.WebhookEndpointChange>>().toEqualTypeOf<
    Answer<typeof contracts.webhookEndpointChangeSchema>
  >();
  expectTypeOf<Plain<client.WebhookStatement>>().toEqualTypeOf<
    Answer<typeof contracts.statementReadySchema>
  >();
  expectTypeOf<Plain<client.ChargedBackPayment>>().toEqualTypeOf<
    Answer<typeof contracts.chargedBackPaymentSchema>
  >();
  expectTypeOf<Plain<client.WebhookTest>>().toEqualTypeOf<Answer<typeof contracts.webhookTestBodySchema>>();
  expectTypeOf<Plain<client.Problem>>().toEqualTypeOf<Plain<contracts.Problem>>();
});

test("the client's requests are the contracts'", () => {
  expectTypeOf<Sent<client.PreAuthorizationRequest>>().toEqualTypeOf<
    Request<typeof contracts.preAuthorizationRequestSchema>
  >();
  expectTypeOf<Sent<client.PaymentRequest>>().toEqualTypeOf<Request<typeof contracts.saleRequestSchema>>();
  expectTypeOf<Sent<client.ThreeDsRequest>>().toEqualTypeOf<Request<typeof contracts.threeDsRequestSchema>>();
  expectTypeOf<Sent<client.CaptureRequest>>().toEqualTypeOf<Request<typeof contracts.captureRequestSchema>>();
  expectTypeOf<Sent<client.CancelRequest>>().toEqualTypeOf<Request<typeof contracts.cancelRequestSchema>>();
  expectTypeOf<Sent<client.RefundRequest>>().toEqualTypeOf<Request<typeof contracts.refundRequestSchema>>();
  expectTypeOf<Sent<client.CheckoutRequest>>().toEqualTypeOf<
    Request<typeof contracts.checkoutRequestSchema>
  >();
  expectTypeOf<Sent<client.PaymentLinkRequest>>().toEqualTypeOf<
    Request<typeof contracts.paymentLinkRequestSchema>
  >();
  expectTypeOf<Sent<client.NewWebhookRequest>>().toEqualTypeOf<
    Request<typeof contracts.operations.createWebhook.request>
  >();
  // Any number is parsed as the version.
  expectTypeOf<Omit<Sent<client.WebhookChangeRequest>, "version">>().toEqualTypeOf<
    Omit<Request<typeof contracts.operations.changeWebhook.request>, "version">
  >();
});

test("the client's searches are the contracts'", () => {
  expectTypeOf<Plain<client.PaymentFilter>>().toEqualTypeOf<Plain<contracts.ListFilter>>();
  expectTypeOf<Plain<client.CheckoutFilter>>().toEqualTypeOf<
    Plain<z.infer<typeof contracts.checkoutListFilterSchema>>
  >();
});

test("the client knows every code of the contracts, and accepts others", () => {
  expectTypeOf<client.PaymentStatus>().toEqualTypeOf<contracts.PaymentStatus>();
  expectTypeOf<client.WebhookEventType>().toEqualTypeOf<contracts.EventType>();
  expectTypeOf<client.CheckoutStatus>().toEqualTypeOf<contracts.CheckoutStatus>();
  expectTypeOf<client.PaymentLinkStatus>().toEqualTypeOf<contracts.PaymentLinkStatus>();
  expectTypeOf<client.TransactionType>().toEqualTypeOf<
    NonNullable<contracts.ApiPaymentResponse["transactionType"]>
  >();
  expectTypeOf<"A_LATER_STATUS">().toExtend<client.Payment["status"]>();
});
