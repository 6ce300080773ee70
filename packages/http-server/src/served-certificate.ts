import { constants, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext, type SecureContextOptions, type Server } from "node:tls";
import { meterOf } from "@holdfast/telemetry";
import { type Logger, type PeriodicTask, startPeriodicTask } from "@holdfast/service-runtime";

/** Paths of PEM files. */
export type TlsFiles = {
  /** The listener's certificate, followed by its issuers' certificates. */
  certFile: string;
  keyFile: string;
  /** The authority of clients' certificates. When it is given, no client connects without one. */
  clientCaFile?: string | undefined;
};

/** The files hold nothing that can be served. */
export class ListenerCertificateError extends Error {
  override name = "ListenerCertificateError";
  readonly code = "listener_certificate_unusable";
}

/**
 * Reads the certificate and key that a listener serves. An expired certificate is served: clients refuse it
 * with a clear reason, and the renewed one is used as soon as its file is there.
 *
 * @throws ListenerCertificateError that says which file cannot be read, or that the files do not belong
 * together
 */
export async function readServedCertificate({
  certFile,
  keyFile,
  clientCaFile,
}: TlsFiles): Promise<ServedCertificate> {
  const [cert, key, ca] = await Promise.all([
    read(certFile),
    read(keyFile),
    clientCaFile === undefined ? undefined : read(clientCaFile),
  ]);
  const context = { ...PROTOCOL, cert, key, ca };
  try {
    const { validFromDate, validToDate } = new X509Certificate(cert);
    if (ca && !new X509Certificate(ca).ca) throw new Error("the certificate is not a CA's");
    createSecureContext(context);
    return { context, validFrom: validFromDate, validTo: validToDate };
  } catch (cause) {
    const files = [certFile, keyFile, clientCaFile].filter((file) => file !== undefined).join(", ");
    throw new ListenerCertificateError(`${files}: ${(cause as Error).message}`, { cause });
  }
}

export type ServedCertificate = {
  context: SecureContextOptions & { cert: Buffer; key: Buffer; ca: Buffer | undefined };
  validFrom: Date;
  validTo: Date;
};

/** TLS 1.2 with forward secrecy and authenticated encryption, or 1.3; no client renegotiates within a connection. */
const PROTOCOL: SecureContextOptions = {
  minVersion: "TLSv1.2",
  ciphers: [
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305",
    "ECDHE-RSA-CHACHA20-POLY1305",
  ].join(":"),
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
};

async function read(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new ListenerCertificateError(`${file} cannot be read (${(cause as NodeJS.ErrnoException).code})`, {
      cause,
    });
  }
}

export type FollowOptions = {
  listener: string;
  files: TlsFiles;
  server: Pick<Server, "setSecureContext">;
  /** The certificate that the server began with. */
  served: ServedCertificate;
  intervalMs: number;
  log: Logger;
};

/**
 * Makes the server use the files' new contents whenever they change; open connections keep the old
 * certificate. The contents are compared, because Kubernetes replaces whole directories by a link, which a
 * watch on a file does not notice. Files that cannot be served leave the server as it is. Each such content
 * is logged once as an error, and a gauge stays at 1 until valid files arrive.
 */
export function followFiles({
  listener,
  files,
  server,
  served,
  intervalMs,
  log,
}: FollowOptions): PeriodicTask {
  let current = served;
  let fault: string | undefined;
  reportValidity(current, listener, log);
  const refused = meterOf("http-server").createGauge("holdfast.tls.files.refused", {
    description: "1 while the files of a listener's certificate cannot be served, and the old ones are",
  });
  return startPeriodicTask("listener certificate", {
    intervalMs,
    log,
    async round() {
      try {
        const found = await readServedCertificate(files);
        fault = undefined;
        refused.record(0, { listener });
        if (isSame(found.context, current.context)) return;
        server.setSecureContext(found.context);
        current = found;
        log.info({ listener, validTo: found.validTo }, "another certificate is served");
        reportValidity(found, listener, log);
      } catch (error) {
        const { message } = error as Error;
        if (message !== fault)
          log.error({ listener, error }, "the certificate's files cannot be served; the old ones are");
        fault = message;
        refused.record(1, { listener });
      }
    },
  });
}

function isSame(one: ServedCertificate["context"], other: ServedCertificate["context"]): boolean {
  const none = Buffer.alloc(0);
  return (["cert", "key", "ca"] as const).every((part) => (one[part] ?? none).equals(other[part] ?? none));
}

function reportValidity({ validFrom, validTo }: ServedCertificate, listener: string, log: Logger): void {
  const now = Date.now();
  if (validTo.getTime() <= now)
    log.error({ listener, validTo }, "the certificate that is served has expired");
  if (validFrom.getTime() > now)
    log.error({ listener, validFrom }, "the certificate that is served is not valid yet");
}
