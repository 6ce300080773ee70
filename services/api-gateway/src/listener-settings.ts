import { portSetting, textSetting, urlSetting } from "@holdfast/service-runtime";

/** The listener of a process, and how it is reached. */
export const listenerSettings = {
  MERCHANT_API_PORT: portSetting()
    .optional()
    .describe("The process is the listener for merchants: their API listens here."),
  MERCHANT_API_URL: urlSetting("https:", "http:")
    .optional()
    .describe(
      "Where merchants' servers reach their API, for the examples of the guides and of `/openapi.json`. Without it they name a sandbox's address.",
    ),
  OPERATOR_API_PORT: portSetting()
    .optional()
    .describe("The process is the listener for operators: their API listens here."),
  PUBLIC_PAGES_PORT: portSetting()
    .optional()
    .describe(
      "The process is the listener for browsers: the checkout and 3-D Secure pages listen here. Exactly one of these ports is set.",
    ),
  STAFF_API_PORT: portSetting()
    .optional()
    .describe("The process is the listener for merchants' staff: their API listens here."),
  TLS_CERT_FILE: textSetting("must be the path of a PEM file")
    .optional()
    .describe(
      "The listener's certificate, followed by those of its issuers, as PEM. With it the listener accepts TLS only. It and its key are read again within 5 s when they change.",
    ),
  TLS_KEY_FILE: textSetting("must be the path of a PEM file")
    .optional()
    .describe("PEM file of that certificate's private key."),
  TLS_CLIENT_CA_FILE: textSetting("must be the path of a PEM file")
    .optional()
    .describe(
      "PEM file of the authority that signs clients' certificates, such as an ingress's. When it is set, nobody connects without one.",
    ),
};
