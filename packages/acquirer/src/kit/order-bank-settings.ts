import { z } from "zod";

/** Settings of an account at a bank that authenticates a cardholder first, and whose answers have no amount. */
export const orderBankSettings = {
  gatePost: z
    .literal("server", { error: "must be server: no other way is supported" })
    .default("server")
    .describe("Who posts the card to the bank's 3-D Secure address: `server`, the gateway itself."),
  acceptMdStatus: z
    .array(z.enum(["1", "2", "3", "4"], { error: "must be 1, 2, 3 or 4" }))
    .min(1, "must name at least one status")
    .default(["1"])
    .describe(
      "The results of an authentication with which a payment goes on: 1 authenticated, 2 and 3 card or issuer not enrolled, 4 attempted. Whether the bank bears the loss after 2, 3 and 4 has to be agreed with it.",
    ),
  confirmAmounts: z
    .boolean("must be true or false")
    .default(true)
    .describe(
      "Whether each approval is confirmed by an inquiry before it is believed: the bank's answers have no amount, and only the inquiry shows that it approved a part. It costs one more call. Switch it off only where the contract excludes approvals of a part.",
    ),
};
