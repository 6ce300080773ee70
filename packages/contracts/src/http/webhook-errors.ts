import { z } from "zod";

/** The class of an attempt's failure, and no more: the network's own words would tell a port scanner too much. */
export const WEBHOOK_ERRORS = [
  "dns",
  "refused",
  "reset",
  "tls",
  "timeout",
  "blocked",
  "status",
  "secret_unreadable",
] as const;
export const webhookErrorSchema = z.enum(WEBHOOK_ERRORS).meta({
  id: "WebhookError",
  description:
    "`dns`: the name has no address; `refused`: the connection was refused; `reset`: the connection broke before an " +
    "answer; `tls`: the certificate is not valid for the name; `timeout`: there was no answer in time; `blocked`: the " +
    "address is not allowed; `status`: the answer was not 2xx; `secret_unreadable`: nothing was sent, since the " +
    "installation has no key for the endpoint's secret",
});
export type WebhookError = z.infer<typeof webhookErrorSchema>;
