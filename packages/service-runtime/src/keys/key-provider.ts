import { ConfigError } from "../settings/config.ts";
import type { KeyProviderConfig } from "../settings/key-provider-settings.ts";
import { fileProvider } from "./file-provider.ts";
import { httpProvider } from "./http-provider.ts";
import { pkcs11Provider } from "./pkcs11-provider.ts";

/**
 * The holder of the key-encrypting key. It encrypts and decrypts data keys of 32 bytes and never reveals its
 * own key. Both functions throw a `ConfigError` that names the provider if it is unreachable. `unwrap`
 * returns undefined for bytes that do not decrypt for this ring.
 */
export type KeyProvider = {
  /** The provider's name for errors, without credentials. */
  name: string;
  wrap(dataKey: Buffer, ring: string): Promise<Buffer>;
  unwrap(wrapped: Buffer, ring: string): Promise<Buffer | undefined>;
};

/** @throws ConfigError */
export function keyProviderOf(config: KeyProviderConfig): KeyProvider {
  const { KEY_PROVIDER: uri } = config;
  if (uri === undefined)
    throw new ConfigError(["KEY_PROVIDER is missing: it opens the rings that are wrapped"]);
  if (uri.startsWith("file:")) return fileProvider(uri);
  if (uri.startsWith("pkcs11:")) return pkcs11Provider(uri);
  return httpProvider(uri, {
    tokenFile: config.KEY_PROVIDER_TOKEN_FILE,
    caFile: config.KEY_PROVIDER_CA_FILE,
  });
}
