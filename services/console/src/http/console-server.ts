import {
  HTTP_TIMEOUTS,
  startHttpServer,
  type HttpServer,
  type HttpServerOptions,
} from "@holdfast/http-server";
import type { RequestListener } from "node:http";
import { FILE_MS_MAX } from "./body-time.ts";

/**
 * The console's one listener.
 *
 * @throws ListenerCertificateError when the TLS files cannot be served
 */
export async function startConsoleServer(
  onRequest: RequestListener,
  options: Pick<HttpServerOptions, "host" | "port" | "connectionsMax" | "tls" | "log">,
): Promise<HttpServer> {
  // A form has less (`boundFormTime`).
  const timeouts = { ...HTTP_TIMEOUTS, requestTimeout: FILE_MS_MAX };
  return await startHttpServer({ ...options, name: "console", timeouts, onRequest });
}
