import { z } from "zod";

/** The class of an attempt's failure without details: the network's own words would help a port scanner. */
export const WEBHOOK_ERRORS = [
  "dns",
  "refused",
  "reset",
  "malformed",
  "tls",
  "tls_expired",
  "tls_not_yet_valid",
  "tls_name",
  "tls_chain",
  "tls_self_signed",
  "timeout",
  "blocked",
  "status",
  "secret_unreadable",
] as const;
export const webhookErrorSchema = z.enum(WEBHOOK_ERRORS).meta({
  id: "WebhookError",
  description:
    "`dns`: the name has no address; `refused`: the connection was refused; `reset`: the connection broke before an " +
    "answer; `malformed`: the answer was not one of HTTP/1.1, or its head was longer than 64 KiB; `tls`: no TLS " +
    "connection was made; `tls_expired`, `tls_not_yet_valid`: the certificate is out of its time; `tls_name`: it is for " +
    "another name; `tls_chain`: no trusted authority has signed it, or an intermediate certificate was not sent; " +
    "`tls_self_signed`: it has signed itself; `timeout`: there was no answer in time; `blocked`: the address is not " +
    "allowed; `status`: the answer was not 2xx; `secret_unreadable`: nothing was sent, since the " +
    "installation has no key for the endpoint's secret",
});
export type WebhookError = z.infer<typeof webhookErrorSchema>;
