import { randomBytes } from "node:crypto";
import { openAtRest, sealAtRest, SecretUnreadableError } from "@holdfast/sealing/seal-at-rest";
import { z } from "zod";
import { ConfigError, parseConfig } from "../settings/config.ts";
import { keyProviderSettings } from "../settings/key-provider-settings.ts";
import { keyProviderOf, type KeyProvider } from "./key-provider.ts";

/**
 * The environment with its wrapped rings opened, as a program's settings are read from it; `process.env` keeps the
 * wrapped text. The provider is asked for a program's own rings only, and only here.
 *
 * @throws ConfigError that names the provider, or the ring that does not open.
 */
export async function unwrapRings(
  shape: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv,
): Promise<NodeJS.ProcessEnv> {
  const rings = Object.keys(shape).filter((name) => env[name] !== undefined && isWrapped(env[name]));
  if (rings.length === 0) return env;
  const provider = keyProviderOf(parseConfig(z.object(keyProviderSettings), env));
  const opened = new Map<string, string>();
  for (const name of rings) opened.set(name, await unwrapRing(provider, name, env[name]!));
  return { ...env, ...Object.fromEntries(opened) };
}

/** A key's id has no point, so no plain ring looks like this. */
export const isWrapped = (text: string) => text.startsWith(PREFIX);

/**
 * The text of a ring, encrypted (AES-256-GCM) under a data key of its own, which the provider encrypts. The ring's name
 * is additional data, so that one ring cannot be given as another.
 */
export async function wrapRing(provider: KeyProvider, name: string, ring: string): Promise<string> {
  const dataKey = randomBytes(32);
  const wrappedKey = await provider.wrap(dataKey, name);
  const sealed = sealAtRest(ringOf(dataKey), name, ring);
  return `${PREFIX}${wrappedKey.toString("base64url")}.${sealed.toString("base64url")}`;
}

/** @throws ConfigError */
export async function unwrapRing(provider: KeyProvider, name: string, text: string): Promise<string> {
  const [wrappedKey = "", sealed = ""] = text.slice(PREFIX.length).trim().split(".");
  const dataKey = await provider.unwrap(Buffer.from(wrappedKey, "base64url"), name);
  try {
    if (dataKey) return openAtRest(ringOf(dataKey), name, Buffer.from(sealed, "base64url"));
  } catch (error) {
    if (!(error instanceof SecretUnreadableError)) throw error;
  }
  throw new ConfigError([
    `${name}: is wrapped, and ${provider.name} does not open it: it was wrapped by another key or for another setting, or was changed`,
  ]);
}

const PREFIX = "wrapped.v1.";
const ringOf = (dataKey: Buffer) => ({ activeId: "data", keys: new Map([["data", dataKey]]) });
