import type { GatewayListener } from "@holdfast/contracts";
import type { Config } from "../config.ts";
import { CLIENT_TIMEOUTS } from "./listener.ts";

/** The configured time limits for clients. */
export function clientTimeouts(listener: GatewayListener, config: Config): typeof CLIENT_TIMEOUTS {
  return {
    ...CLIENT_TIMEOUTS,
    headersTimeout: config.CLIENT_HEADERS_TIMEOUT,
    requestTimeout: config.CLIENT_REQUEST_TIMEOUT,
    uploadTimeout: listener === "gateway-operator" ? config.UPLOAD_TIMEOUT : 0,
    answerTimeout: config.CLIENT_ANSWER_TIMEOUT,
    keepAliveTimeout: config.KEEP_ALIVE_TIMEOUT,
  };
}
