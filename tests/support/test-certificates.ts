import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localCertificates } from "@holdfast/sandbox/infrastructure";

/** The test's CA, and its server certificate for localhost, 127.0.0.1 and ::1. */
export type TestCertificates = {
  caFile: string;
  certFile: string;
  keyFile: string;
  cert: Buffer;
  key: Buffer;
};

export async function makeTestCertificates(): Promise<TestCertificates> {
  const files = await localCertificates(mkdtempSync(join(tmpdir(), "holdfast-test-ca-")));
  return { ...files, cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) };
}
