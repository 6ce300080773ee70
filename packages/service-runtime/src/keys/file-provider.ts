import { openBytesAtRest, sealAtRest, SecretUnreadableError } from "@holdfast/sealing/seal-at-rest";
import { isPredictable } from "../settings/config.ts";
import type { KeyProvider } from "./key-provider.ts";
import { providerFault, readProviderFile } from "./provider-fault.ts";

/**
 * A key of 32 bytes in a file, or as the exclusive or of two files with a custodian each, who alone learns
 * nothing about the key. AES-256-GCM with the ring's name as additional data.
 */
export function fileProvider(uri: string): KeyProvider {
  const paths = uri.slice("file:".length).split(",");
  const keyRing = () => ({ activeId: "kek", keys: new Map([["kek", readKey(uri, paths)]]) });
  return {
    name: uri,
    async wrap(dataKey, ring) {
      return sealAtRest(keyRing(), ring, dataKey);
    },
    async unwrap(wrapped, ring) {
      const keys = keyRing();
      try {
        return openBytesAtRest(keys, ring, wrapped);
      } catch (error) {
        if (error instanceof SecretUnreadableError) return undefined;
        throw error;
      }
    },
  };
}

function readKey(uri: string, paths: string[]): Buffer {
  const parts = paths.map((path) => {
    const text = readProviderFile(uri, path);
    if (!/^[A-Za-z0-9+/]{43}=$/.test(text)) throw providerFault(uri, `${path} has no 32 bytes in base64`);
    return Buffer.from(text, "base64");
  });
  const key = parts.reduce((sum, part) => Buffer.from(sum.map((byte, index) => byte ^ part[index]!)));
  // Two equal parts, too, whose exclusive or is zeros.
  if ([...parts, key].some(isPredictable))
    throw providerFault(uri, "its key is not random; generate each part with openssl rand -base64 32");
  return key;
}
