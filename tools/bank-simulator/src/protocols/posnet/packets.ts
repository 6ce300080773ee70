import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

import type { Merchant } from "./config.ts";

/** The parts of a merchant that a MAC rests on. */
type Secret = Pick<Merchant, "mid" | "tid" | "encKey">;

/** The MAC of the calls and answers of 3-D Secure, over these values and the merchant. */
export function macOf({ mid, tid, encKey }: Secret, ...values: string[]): string {
  return sha256(...values, mid, terminalHash({ tid, encKey }));
}

/** The last value of each MAC. */
export function terminalHash({ tid, encKey }: Omit<Secret, "mid">): string {
  return sha256(encKey, tid);
}

/** The signature of two packets in a browser's form. */
export function signOf(encKey: string, ...packets: string[]): string {
  return md5(`${packets.join("")}${encKey}`);
}

/** Encrypts a text to a packet: the vector and the ciphertext, in hexadecimal digits, and their checksum. */
export function sealPacket(encKey: string, text: string, vector: Buffer = randomBytes(8)): string {
  const cipher = createCipheriv(CIPHER, packetKey(encKey), vector);
  const bytes = Buffer.concat([vector, cipher.update(text, "utf8"), cipher.final()]);
  const hex = bytes.toString("hex").toUpperCase();
  return `${hex}${checksum(hex)}`;
}

/** @returns undefined for a packet with another checksum or key. */
export function openPacket(encKey: string, packet: string): string | undefined {
  const hex = packet.slice(0, -8);
  if (!/^(?:[0-9A-F]{16}){2,}$/.test(hex) || checksum(hex) !== packet.slice(-8)) return undefined;
  const bytes = Buffer.from(hex, "hex");
  const decipher = createDecipheriv(CIPHER, packetKey(encKey), bytes.subarray(0, 8));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(8)), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

export function packetKey(encKey: string): string {
  return md5(encKey).slice(0, 24);
}

const CIPHER = "des-ede3-cbc";

function checksum(hex: string): string {
  return crc32(hex).toString(16).toUpperCase().padStart(8, "0");
}

function sha256(...values: string[]): string {
  return createHash("sha256").update(values.join(";")).digest("base64");
}

function md5(text: string): string {
  return createHash("md5").update(text).digest("hex").toUpperCase();
}
