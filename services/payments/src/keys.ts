import { refuseMissingKeys, type KeysProgram } from "@holdfast/postgres";
import { keyRingSetting, type Logger } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import { accountKeysInUse } from "./bank/account/account-keys-in-use.ts";
import { resealAccountSecrets } from "./bank/account/reseal-account-secrets.ts";
import type { Config } from "./config.ts";
import type { PaymentsDatabase } from "./database.ts";
import { evidenceKeysInUse, resealEvidence } from "./follow-up/chargeback/reseal-evidence.ts";
import { fingerprintKeysInUse } from "./accept/fingerprint/fingerprint-ring.ts";
import { fingerprintSettings } from "./accept/fingerprint/fingerprint-settings.ts";
import { forgetFingerprints } from "./accept/fingerprint/forget-fingerprints.ts";

const settings = {
  ...fingerprintSettings,
  CARD_SEALING_KEYS: keyRingSetting(),
  ACCOUNT_SECRET_KEYS: keyRingSetting().optional(),
  FILE_KEYS: keyRingSetting(),
};

/**
 * Refuses to start without a key under which accounts' credentials or evidence are sealed: their payments and
 * downloads would fail one by one.
 *
 * @throws KeyNeededError
 */
export async function refuseMissingSealingKeys(
  db: Kysely<PaymentsDatabase>,
  { ACCOUNT_SECRET_KEYS, FILE_KEYS, KEYS_ABANDONED: abandoned }: Config,
  log: Logger,
): Promise<void> {
  for (const ring of [accountKeysInUse(ACCOUNT_SECRET_KEYS), evidenceKeysInUse(FILE_KEYS)])
    await refuseMissingKeys(db, ring, { abandoned, log });
}

/** `holdfast keys payments status | reencrypt | forget-fingerprints --key ID`, beside running payments. */
export const paymentsKeys: KeysProgram<typeof settings, PaymentsDatabase> = {
  service: "payments",
  schema: "payments",
  settings,
  rings: ({ CARD_SEALING_KEYS: ring, ...config }) => [
    accountKeysInUse(config.ACCOUNT_SECRET_KEYS),
    fingerprintKeysInUse(config.PAN_FINGERPRINT_KEYS, config.IDEMPOTENCY_RETENTION),
    {
      setting: "CARD_SEALING_KEYS",
      ring,
      oldKeyStays: "until no gateway seals under it and no checkout from before is open, a day at most",
    },
    evidenceKeysInUse(config.FILE_KEYS),
  ],
  actions: {
    reencrypt: {
      help: "encrypts accounts' credentials and files of evidence under the first keys, so that the others can leave",
      async run({ db, config: { ACCOUNT_SECRET_KEYS: ring, FILE_KEYS }, actor, out }) {
        const files = await resealEvidence(db, FILE_KEYS, actor);
        if (files.parts > 0)
          out(`${files.parts} parts of evidence encrypted again under ${FILE_KEYS.activeId}\n`);
        for (const evidenceId of files.unreadable) out(`no key of the ring opens evidence ${evidenceId}\n`);
        if (!ring) {
          out("ACCOUNT_SECRET_KEYS is not set: there is no key to encrypt accounts' credentials under\n");
          return 2;
        }
        const { versions, unreadable } = await resealAccountSecrets(db, ring, actor);
        out(`${versions} accounts' credentials encrypted again under ${ring.activeId}\n`);
        for (const accountId of unreadable)
          out(`no key of the ring opens the credentials of account ${accountId}\n`);
        return unreadable.size + files.unreadable.size === 0 ? 0 : 1;
      },
    },
    "forget-fingerprints": {
      help: "--key ID  removes what payments were fingerprinted with under a key that has left the ring",
      async run({ db, config, actor, key, out }) {
        if (key === undefined || config.PAN_FINGERPRINT_KEYS.keys.has(key)) {
          out("--key must name a key that is no longer in PAN_FINGERPRINT_KEYS\n");
          return 2;
        }
        out(`${await forgetFingerprints(db, key, actor)} fingerprints under ${key} removed\n`);
        return 0;
      },
    },
  },
};
