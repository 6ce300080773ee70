import { durationSetting } from "@holdfast/service-runtime";

/** How long clients may take. */
export const clientTimeouts = {
  CLIENT_HEADERS_TIMEOUT: durationSetting({ min: "1ms" })
    .default(10_000)
    .describe(
      "From the first byte of a request to the end of its headers; also how long a new connection may stay silent. At most `CLIENT_REQUEST_TIMEOUT`.",
    ),
  CLIENT_REQUEST_TIMEOUT: durationSetting()
    .default(14_000)
    .describe(
      "From the first byte of a request to its last; slower clients are answered 408. Checked once a second.",
    ),
  UPLOAD_TIMEOUT: durationSetting()
    .default(600_000)
    .describe(
      "From the first byte to the last of a bank's file that an operator uploads, in place of `CLIENT_REQUEST_TIMEOUT`.",
    ),
  CLIENT_ANSWER_TIMEOUT: durationSetting({ min: "1ms" })
    .default(15_000)
    .describe("How long a client may take to read its answer."),
};
