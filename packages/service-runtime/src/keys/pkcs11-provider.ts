import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { ConfigError } from "../settings/config.ts";
import type { KeyProvider } from "./key-provider.ts";
import { providerFault, readProviderFile } from "./provider-fault.ts";

/**
 * A key in a PKCS #11 device, named by its URI (RFC 7512), through OpenSC's `pkcs11-tool`: the vendor's
 * library stays out of the service's process. The mechanism is AES-CBC, which every device and that tool
 * support. It hides the data key, which is random and two whole blocks. A manipulated data key is another
 * key, with which the ring's GCM does not open.
 */
export function pkcs11Provider(uri: string): KeyProvider {
  const { name, token, id, modulePath, pinFile } = readUri(uri);
  const tool = (action: "--encrypt" | "--decrypt", iv: Buffer, input: Buffer): Buffer => {
    const pin = readProviderFile(name, pinFile);
    const key = [
      "--module",
      modulePath,
      "--token-label",
      token,
      "--login",
      "--pin",
      "env:HOLDFAST_PKCS11_PIN",
    ];
    const { status, stdout, stderr, error } = spawnSync(
      "pkcs11-tool",
      [...key, action, "--id", id, "--mechanism", "AES-CBC", "--iv", iv.toString("hex")],
      { input, timeout: TIMEOUT_MS, env: { ...process.env, HOLDFAST_PKCS11_PIN: pin } },
    );
    if (error) throw providerFault(name, error.message);
    if (status !== 0 || stdout.length !== input.length) throw providerFault(name, reasonOf(String(stderr)));
    return stdout;
  };
  return {
    name,
    async wrap(dataKey) {
      const iv = randomBytes(IV_BYTES);
      return Buffer.concat([iv, tool("--encrypt", iv, dataKey)]);
    },
    async unwrap(wrapped) {
      if (wrapped.length !== IV_BYTES + DATA_KEY_BYTES) return undefined;
      return tool("--decrypt", wrapped.subarray(0, IV_BYTES), wrapped.subarray(IV_BYTES));
    },
  };
}

const IV_BYTES = 16;
const DATA_KEY_BYTES = 32;
const TIMEOUT_MS = 15_000;

/** The tool's own line of what failed. */
function reasonOf(stderr: string): string {
  const lines = stderr.split("\n").flatMap((line) => line.trim() || []);
  return lines.find((line) => line.startsWith("error:")) ?? lines[0] ?? "pkcs11-tool gave no answer";
}

function readUri(uri: string) {
  const [path = "", query = ""] = uri.slice("pkcs11:".length).split("?");
  const attributes = new Map(
    [...path.split(";"), ...query.split("&")].map((pair) => {
      const [key = "", ...value] = pair.split("=");
      return [key, value.join("=")] as const;
    }),
  );
  const given = (key: string) => {
    const value = attributes.get(key);
    if (value === undefined || value === "") throw new ConfigError([`KEY_PROVIDER: needs ${key}=`]);
    return value;
  };
  return {
    name: `pkcs11:${path}`,
    token: decodeURIComponent(given("token")),
    id: bytesOf(given("id")).toString("hex"),
    modulePath: decodeURIComponent(given("module-path")),
    pinFile: decodeURIComponent(given("pin-source").replace(/^file:/, "")),
  };
}

/** The bytes of a percent-encoded attribute, which need not be text. */
function bytesOf(encoded: string): Buffer {
  const parts = encoded.match(/%[\da-f]{2}|[^%]/gi) ?? [];
  return Buffer.concat(
    parts.map((part) => Buffer.from(part.replace("%", ""), part.length > 1 ? "hex" : "utf8")),
  );
}
