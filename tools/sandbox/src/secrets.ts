// Secrets are generated once per home and kept, so that data sealed with them can be read after a restart.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { JWK } from "jose";
import { drawBankContracts, type BankContracts, type BankProtocol } from "./banks.ts";
import { BUS_USERS, OBSERVER, type BusUser } from "@holdfast/contracts";
import { roleNames, type RolePasswords } from "./infrastructure/index.ts";
import { replaceFile } from "./replace-file.ts";
import type { TestKey } from "./test-mode.ts";

/** A merchant with the credentials it was given once. */
export type Merchant = { merchantId: string; name: string; apiKey: string; apiSecret: string };

/** A password for each service, and one for the observer. */
export type BusPasswords = Record<BusUser | typeof OBSERVER, string>;

/** Keys are 32 bytes in base64. */
export type Secrets = {
  cardSealingKey: string;
  panFingerprintKey: string;
  credentialPepper: string;
  webhookSecretKey: string;
  accountSecretKey: string;
  fileKey: string;
  threeDsStateKey: string;
  consoleSessionKey: string;
  databasePasswords: RolePasswords;
  busPasswords: BusPasswords;
  /** Private ES256 key that signs the operators' tokens. */
  operatorKey: JWK;
  /** Set once the merchant has been onboarded in the database of this home. */
  demoMerchant: Merchant | undefined;
  /** The demo merchant's key of test mode. */
  demoTestKey: TestKey | undefined;
  /** The contracts for banks that have their own protocol (`--banks`). */
  bankContracts: BankContracts;
  bankMerchants: Partial<Record<BankProtocol, Merchant>>;
};

export type SecretsFile = { read(): Secrets; update(changes: Partial<Secrets>): void };

/** Reads the file and adds missing secrets: all of them at the first start, new kinds after an upgrade. */
export function keepSecrets(file: string): SecretsFile {
  let secrets = complete(existsSync(file) ? parse(file) : {});
  const write = () => replaceFile(file, `${JSON.stringify(secrets, null, 2)}\n`, 0o600);
  write();
  return {
    read: () => secrets,
    update(changes) {
      secrets = { ...secrets, ...changes };
      write();
    },
  };
}

function parse(file: string): Partial<Secrets> {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Partial<Secrets>;
  } catch (cause) {
    throw new Error(`${file} cannot be read as JSON: restore it, or delete the whole home to start empty`, {
      cause,
    });
  }
}

function complete(kept: Partial<Secrets>): Secrets {
  const drawn = roleNames.map((role) => [role, randomBytes(24).toString("base64url")]);
  return {
    cardSealingKey: kept.cardSealingKey ?? drawKey(),
    panFingerprintKey: kept.panFingerprintKey ?? drawKey(),
    credentialPepper: kept.credentialPepper ?? drawKey(),
    webhookSecretKey: kept.webhookSecretKey ?? drawKey(),
    accountSecretKey: kept.accountSecretKey ?? drawKey(),
    fileKey: kept.fileKey ?? drawKey(),
    threeDsStateKey: kept.threeDsStateKey ?? drawKey(),
    consoleSessionKey: kept.consoleSessionKey ?? drawKey(),
    databasePasswords: { ...(Object.fromEntries(drawn) as RolePasswords), ...kept.databasePasswords },
    busPasswords: { ...drawBusPasswords(), ...kept.busPasswords },
    operatorKey: kept.operatorKey ?? drawOperatorKey(),
    demoMerchant: kept.demoMerchant,
    demoTestKey: kept.demoTestKey,
    bankContracts: { ...drawBankContracts(), ...kept.bankContracts },
    bankMerchants: kept.bankMerchants ?? {},
  };
}

/** Passwords begin with a letter: some clients take the first digits after a colon of a URL for the port. */
function drawBusPasswords(): BusPasswords {
  const drawn = [...BUS_USERS, OBSERVER].map((user) => [user, `p${randomBytes(24).toString("base64url")}`]);
  return Object.fromEntries(drawn) as BusPasswords;
}

function drawKey(): string {
  return randomBytes(32).toString("base64");
}

function drawOperatorKey(): JWK {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
}
