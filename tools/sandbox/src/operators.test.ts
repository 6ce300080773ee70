import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeJwt, type JWK } from "jose";
import { expect, onTestFinished, test, vi } from "vitest";
import { createOperators } from "./operators.ts";

test("a token lives for a day and not a second longer, whenever the clock turns while it is signed", async () => {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-operators-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  let now = 1_800_000_000_000;
  const RealDate = Date;
  /** Each look at the clock is 400 ms later. */
  class SteppingDate extends RealDate {
    constructor(at?: number) {
      super(at ?? (now += 400));
    }
    static override now = () => (now += 400);
  }
  vi.stubGlobal("Date", SteppingDate);
  onTestFinished(() => void vi.unstubAllGlobals());
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ format: "jwk" }) as JWK;
  const { people, installation } = await createOperators(key, {
    jwksFile: join(dir, "jwks.json"),
    issuer: "http://127.0.0.1:8091",
  });
  for (const { token } of [...people, installation]) {
    const { iat, exp } = decodeJwt(token);
    expect(exp! - iat!).toBe(24 * 3_600);
  }
});
