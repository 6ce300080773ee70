import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import {
  Card,
  orderDetailsSchema,
  type CardData,
  type OrderDetails,
  type SealedCard,
  type SealedDetails,
} from "@holdfast/contracts";

/**
 * Seals card data between the gateway, which parses it, and `payments`, which needs it for one acquirer call.
 * With AES-256-GCM (NIST SP 800-38D) no bus message, trace or log has it in clear. Each process derives its
 * own subkey from the shared key (HKDF, RFC 5869, with a random salt that is sent along) and counts its
 * nonces, so no nonce repeats under one key. Payment id and merchant id are authenticated: a sealed card
 * cannot be moved to another payment. A request's buyer data is sealed in the same way and cannot be passed
 * off as a card.
 */
export type CardSealer = {
  seal(card: Card, binding: CardBinding): SealedCard;
  sealDetails(details: OrderDetails, binding: CardBinding): SealedDetails;
};
export type CardOpener = {
  /** @throws CardSealError */
  open(sealed: SealedCard, binding: CardBinding): Card;
  /** @throws CardSealError */
  openDetails(sealed: SealedDetails, binding: CardBinding): OrderDetails;
};

/** The owner of a sealed card. Details may belong to a checkout, whose id then takes the payment's place. */
export type CardBinding = { paymentId: string; merchantId: string };

/** Keys of 32 bytes by id; the active one seals, and each of them opens. */
export type CardKeyRing = { activeId: string; keys: ReadonlyMap<string, Buffer> };

/** The card was sealed under a key we do not have, for something else, or was changed on the way. */
export class CardSealError extends Error {
  override name = "CardSealError";
  readonly code = "card_seal_broken";
}

export function createCardSealer({ activeId, keys }: CardKeyRing): CardSealer {
  const key = keys.get(activeId);
  if (!key) throw new CardSealError("the active key is not in the ring");
  let salt: Buffer = Buffer.alloc(0);
  let subkey: Buffer = Buffer.alloc(0);
  let sealed = SEALS_PER_SUBKEY;

  const sealText = (plain: string, associated: Buffer): SealedCard => {
    if (sealed === SEALS_PER_SUBKEY) {
      salt = randomBytes(16);
      subkey = deriveSubkey(key, salt);
      sealed = 0;
    }
    const nonce = Buffer.alloc(12);
    nonce.writeUInt32BE(sealed++, 8);
    const cipher = createCipheriv("aes-256-gcm", subkey, nonce).setAAD(associated);
    const ciphertext = Buffer.concat([cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return {
      keyId: activeId,
      salt: salt.toString("base64url"),
      nonce: nonce.toString("base64url"),
      ciphertext: ciphertext.toString("base64url"),
    };
  };
  return {
    // Padded to one length: the ciphertext's would reveal the length of the number.
    seal: (card, binding) =>
      sealText(JSON.stringify(card.reveal()).padEnd(PLAIN_LENGTH), associatedData(binding)),
    sealDetails: (details, binding) => sealText(JSON.stringify(details), associatedDetails(binding)),
  };
}

export function createCardOpener({ keys }: CardKeyRing): CardOpener {
  const subkeys = new Map<string, Buffer>();

  const subkeyFor = ({ keyId, salt }: SealedCard): Buffer => {
    const cached = subkeys.get(`${keyId}:${salt}`);
    if (cached) return cached;
    const key = keys.get(keyId);
    if (!key) throw new CardSealError("sealed under an unknown key");
    const subkey = deriveSubkey(key, Buffer.from(salt, "base64url"));
    // One entry for each gateway process that is or was; the oldest goes first.
    if (subkeys.size >= SUBKEYS_CACHED_MAX) subkeys.delete(subkeys.keys().next().value ?? "");
    subkeys.set(`${keyId}:${salt}`, subkey);
    return subkey;
  };

  const openJson = (sealed: SealedCard, associated: Buffer): unknown => {
    const subkey = subkeyFor(sealed);
    try {
      const bytes = Buffer.from(sealed.ciphertext, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", subkey, Buffer.from(sealed.nonce, "base64url"), {
        authTagLength: TAG_LENGTH,
      });
      decipher.setAAD(associated).setAuthTag(bytes.subarray(-TAG_LENGTH));
      const plain =
        decipher.update(bytes.subarray(0, -TAG_LENGTH), undefined, "utf8") + decipher.final("utf8");
      return JSON.parse(plain);
    } catch {
      // No cause: a JSON error would repeat a piece of the plain text.
      throw new CardSealError("not sealed for this payment, or changed on the way");
    }
  };
  return {
    open: (sealed, binding) => new Card(openJson(sealed, associatedData(binding)) as CardData),
    openDetails(sealed, binding) {
      const read = orderDetailsSchema.safeParse(openJson(sealed, associatedDetails(binding)));
      // No cause here either.
      if (!read.success) throw new CardSealError("the details are not of this version's form");
      return read.data;
    },
  };
}

const TAG_LENGTH = 16;

/** Longest card data in JSON: a 19-digit number and a four-digit cvv take 73 characters. */
const PLAIN_LENGTH = 80;

/** The nonce counts in 32 bits; far below the limits of GCM. */
const SEALS_PER_SUBKEY = 2 ** 32 - 1;

const SUBKEYS_CACHED_MAX = 1_000;

function deriveSubkey(key: Buffer, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync("sha256", key, salt, "holdfast card sealing v1", 32));
}

function associatedData({ paymentId, merchantId }: CardBinding): Buffer {
  return Buffer.from(`${paymentId}:${merchantId}`);
}

function associatedDetails({ paymentId, merchantId }: CardBinding): Buffer {
  return Buffer.from(`details:${paymentId}:${merchantId}`);
}
