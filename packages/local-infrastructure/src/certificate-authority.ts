// A certificate authority of this machine alone, and a certificate for localhost signed by it, so that HTTPS between
// processes of the sandbox is real. Both are kept between runs, because users add the CA to their trust stores.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Paths of PEM files. */
export type LocalCertificates = { caFile: string; certFile: string; keyFile: string };

/** Makes what is missing, broken or about to expire in `dir`, and keeps the rest. */
export async function localCertificates(dir: string): Promise<LocalCertificates> {
  const files = {
    caFile: join(dir, "ca.pem"),
    caKeyFile: join(dir, "ca-key.pem"),
    certFile: join(dir, "localhost.pem"),
    keyFile: join(dir, "localhost-key.pem"),
  };
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (!isValid(files.caFile, files.caKeyFile)) {
    // Loaded only when needed: the library takes a tenth of a second.
    const { issueAuthority } = await import("./issue-certificate.ts");
    write(files.caFile, files.caKeyFile, await issueAuthority());
  }
  if (!isValid(files.certFile, files.keyFile, files.caFile)) {
    const { issueForLocalhost } = await import("./issue-certificate.ts");
    const authority = {
      certificate: readFileSync(files.caFile, "utf8"),
      key: readFileSync(files.caKeyFile, "utf8"),
    };
    write(files.certFile, files.keyFile, await issueForLocalhost(authority));
  }
  return { caFile: files.caFile, certFile: files.certFile, keyFile: files.keyFile };
}

/** Whether the pair belongs together, is signed by the given authority, and lasts another month. */
function isValid(certFile: string, keyFile: string, issuerFile = certFile): boolean {
  if (!existsSync(certFile) || !existsSync(keyFile)) return false;
  try {
    const certificate = new X509Certificate(readFileSync(certFile));
    const issuer = new X509Certificate(readFileSync(issuerFile));
    const lasts = certificate.validToDate.getTime() - Date.now() > renewBeforeMs;
    const paired = certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile)));
    return lasts && paired && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

const renewBeforeMs = 30 * 24 * 3600 * 1000;

/** The key goes first: a pair that was only half replaced does not belong together, and is made anew. */
function write(certFile: string, keyFile: string, pair: { certificate: string; key: string }): void {
  for (const [file, pem, mode] of [
    [keyFile, pair.key, 0o600] as const,
    [certFile, pair.certificate, 0o644] as const,
  ]) {
    writeFileSync(`${file}.new`, pem, { mode });
    renameSync(`${file}.new`, file);
  }
}
