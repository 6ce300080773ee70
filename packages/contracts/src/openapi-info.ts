/** The title and the opening words of each API's document. */
export const INFO = {
  merchant: {
    title: "Holdfast merchant API",
    description:
      "Accept card payments: authorizations, sales, 3-D Secure, hosted checkouts, captures, refunds and webhooks. " +
      "Amounts are JSON numbers in major units. Fields of a body that the API does not know are ignored; a query " +
      "parameter that it does not know is refused (`unknown_parameter`). A client has to ignore fields of an answer " +
      "that it does not know, and to accept codes that this document does not list.",
  },
  operator: {
    title: "Holdfast operator API",
    description:
      "Onboard merchants, decide refunds, resolve payments and look after webhooks. It is served on a port of its " +
      "own. Fields of a body and query parameters that an endpoint does not know are refused (`unknown_field`, " +
      "`unknown_parameter`).",
  },
  staff: {
    title: "Holdfast staff API",
    description:
      "What a merchant's own staff do for their merchant: look payments up, request refunds, capture and cancel, look " +
      "after API keys, webhooks and payment links. The merchant is the one that the person's token names. Fields of a " +
      "body and query parameters that an endpoint does not know are refused (`unknown_field`, `unknown_parameter`).",
  },
} as const;
