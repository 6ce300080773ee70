import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from "node:crypto";
import type { SealedReply } from "@holdfast/contracts";
import type { RestKeyRing } from "./seal-at-rest.ts";

/**
 * The recipient of a secret that is shown once. The secret has to cross the bus to its requester, and the bus must
 * never have it in clear. The requester generates a key pair for the one request (X25519), and the answer is encrypted
 * to it (ephemeral key, HKDF-SHA-256, AES-256-GCM): there is no key to share, to keep, or to rotate.
 */
export type ReplyRecipient = {
  /** The key to send along with the request. */
  publicKey: string;
  /** @throws when it was not sealed to this recipient, or was changed on the way. */
  open(sealed: SealedReply): string;
  /** @throws likewise. */
  openBytes(sealed: SealedReply): Buffer;
};

export function createReplyRecipient(): ReplyRecipient {
  const { privateKey, publicKey } = generateKeyPairSync("x25519");
  return recipientOf(privateKey, publicKey);
}

/**
 * A recipient that all processes with the same key share: each of them opens a secret that was sealed to the
 * public key of any. It is for secrets that a requester sends to a service of several processes.
 * @param key 32 bytes; the key pair is derived from it (HKDF, RFC 5869) and used for nothing else.
 */
export function createKeyedRecipient(key: Buffer): ReplyRecipient {
  const seed = Buffer.from(hkdfSync("sha256", key, "", "holdfast keyed recipient v1", 32));
  const der = Buffer.concat([X25519_PRIVATE_KEY, seed]);
  const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  return recipientOf(privateKey, createPublicKey(privateKey));
}

/** A service of several processes as a recipient, also while the keys of its ring are replaced. */
export type RingRecipient = {
  /** The public key of the ring's active key. */
  publicKey: string;
  /** @returns undefined if it was sealed to another key, or changed on the way. */
  open(sealed: SealedReply): Buffer | undefined;
};

export function createRingRecipient({ activeId, keys }: RestKeyRing): RingRecipient {
  const recipients = [...keys.values()].map(createKeyedRecipient);
  return {
    publicKey: createKeyedRecipient(keys.get(activeId)!).publicKey,
    open(sealed) {
      for (const recipient of recipients) {
        try {
          return recipient.openBytes(sealed);
        } catch {
          // Sealed to another key of the ring, or to none of it.
        }
      }
      return undefined;
    },
  };
}

/** The prefix of the 32 bytes of a private key in PKCS #8 (RFC 8410, section 7). */
const X25519_PRIVATE_KEY = Buffer.from("302e020100300506032b656e04220420", "hex");

function recipientOf(privateKey: KeyObject, ownKey: KeyObject): ReplyRecipient {
  const publicKey = encodeKey(ownKey);
  const openBytes = ({ senderKey, nonce, ciphertext }: SealedReply): Buffer => {
    const key = sharedKey(privateKey, decodeKey(senderKey), publicKey, senderKey);
    const bytes = Buffer.from(ciphertext, "base64url");
    const decipher = createDecipheriv(CIPHER, key, Buffer.from(nonce, "base64url"), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
  };
  return { publicKey, openBytes, open: (sealed) => openBytes(sealed).toString() };
}

export function sealReply(recipientKey: string, content: string | Buffer): SealedReply {
  const pair = generateKeyPairSync("x25519");
  const senderKey = encodeKey(pair.publicKey);
  const key = sharedKey(pair.privateKey, decodeKey(recipientKey), recipientKey, senderKey);
  const nonce = randomBytes(12);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  const ciphertext = Buffer.concat([
    cipher.update(Buffer.from(content)),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return { senderKey, nonce: nonce.toString("base64url"), ciphertext: ciphertext.toString("base64url") };
}

const CIPHER = "aes-256-gcm";
const TAG_BYTES = 16;

/** Both public keys go into the derivation, so that an answer cannot be passed off as one to another request. */
function sharedKey(
  privateKey: KeyObject,
  publicKey: KeyObject,
  recipientKey: string,
  senderKey: string,
): Buffer {
  const secret = diffieHellman({ privateKey, publicKey });
  return Buffer.from(hkdfSync("sha256", secret, "", `holdfast reply ${recipientKey} ${senderKey}`, 32));
}

function encodeKey(key: KeyObject): string {
  return key.export({ format: "jwk" }).x!;
}

function decodeKey(x: string): KeyObject {
  return createPublicKey({ key: { kty: "OKP", crv: "X25519", x }, format: "jwk" });
}
