import type { Amount } from "./amount.ts";

/** A request's data about the buyer and the goods. The gateway's OpenAPI document has the bounds. */
export type CheckoutDetails = {
  customer?: Customer | undefined;
  /** The basket, whose amounts add up to the payment's. */
  basket?: BasketItem[] | undefined;
  /** A text for the bank's own reports. */
  description?: string | undefined;
  initiator?: Initiator | undefined;
};

/** The details for a request with a card; a checkout's page adds the browser itself. */
export type OrderDetails = CheckoutDetails & { browser?: Browser | undefined };

/** The buyer. It is passed to the bank and never shown again. */
export type Customer = {
  email?: string | undefined;
  /** E.164: `+905551234567`. */
  phone?: string | undefined;
  name?: string | undefined;
  identityNumber?: string | undefined;
  billingAddress?: Address | undefined;
  shippingAddress?: Address | undefined;
};

/** `country` is a name or an ISO 3166-1 code. */
export type Address = {
  contactName?: string | undefined;
  line1: string;
  line2?: string | undefined;
  city: string;
  postalCode?: string | undefined;
  country: string;
};

export type BasketItem = {
  id: string;
  name: string;
  category: string;
  kind: "physical" | "virtual";
  amount: Amount;
};

/** The party that began the payment, and how; by default the cardholder did, in a shop on the internet. */
export type Initiator = {
  by: "cardholder" | "merchant";
  channel: "ecommerce" | "moto" | "recurring" | "unscheduled";
  firstSchemeTransactionId?: string | undefined;
};

/** The buyer's browser, by the names of EMV 3-D Secure. */
export type Browser = {
  browserAcceptHeader: string;
  browserUserAgent: string;
  browserLanguage: string;
  browserJavascriptEnabled?: boolean | undefined;
  browserJavaEnabled?: boolean | undefined;
  browserColorDepth?: "1" | "4" | "8" | "15" | "16" | "24" | "32" | "48" | undefined;
  browserScreenHeight?: string | undefined;
  browserScreenWidth?: string | undefined;
  /** Minutes from the buyer's time to UTC. */
  browserTZ?: string | undefined;
  challengeWindowSize?: "01" | "02" | "03" | "04" | "05" | undefined;
};
