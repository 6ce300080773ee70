// `npm run compose:prepare`: what `docker compose up` needs and what must not stand in a repository.
//
//   .env                         secrets, generated once and kept; add settings of your own to it
//   .compose/operator-key.json   signs operators' tokens, in the place of an identity provider
//   .compose/operator-jwks.json  verifies them
//   .compose/bus/                certificate and key of nats-server, and the authority that signed it
//   .compose/postgres/           the same of PostgreSQL, with an authority of its own
//
// Keeps existing files, so it may be run again: it adds what a newer version needs and prints new operator tokens.
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { localCertificates } from "@holdfast/sandbox/infrastructure/certificate-authority";
import { readCommandLine, runProgram } from "@holdfast/service-runtime/command-line";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const HELP = `npm run compose:prepare -- [--dir DIR] [--quiet]

Writes the secrets and certificates that docker compose up needs, keeps those that are there, and prints operators' tokens.

  --dir DIR   where .env and .compose are (default: this repository)
  --quiet     prints the tokens alone, as JSON
`;

let dir;
let envFile;
let keyFile;
let jwksFile;
let key;
let operators;
const issuer = "holdfast-compose";
const audience = "holdfast-operator-api";

await runProgram("compose:prepare", main, { trace: true });

async function main(args) {
  const line = readCommandLine(args, {
    help: HELP,
    options: { dir: { type: "string", default: root }, quiet: { type: "boolean", default: false } },
  });
  if (!line) return;
  dir = line.values.dir;
  envFile = join(resolve(dir), ".env");
  keyFile = join(resolve(dir), ".compose", "operator-key.json");
  jwksFile = join(resolve(dir), ".compose", "operator-jwks.json");
  mkdirSync(dirname(keyFile), { recursive: true, mode: 0o755 });
  keepSecrets();
  key = keepOperatorKey();
  await keepCertificates("bus", { authority: "Holdfast compose bus CA", host: "nats" });
  await keepCertificates("postgres", { authority: "Holdfast compose database CA", host: "postgres" });
  trustCompanyProxy();
  operators = people().map(({ name, roles }) => ({ name, roles, token: operatorToken(name, roles) }));
  process.stdout.write(line.values.quiet ? `${JSON.stringify({ operators })}\n` : instructions());
}

/** Adds to .env what it lacks; what stands there, comments included, stays as it is. */
function keepSecrets() {
  const kept = existsSync(envFile) ? readFileSync(envFile, "utf8") : "";
  const names = new Set([...kept.matchAll(/^\s*(?:export\s+)?(\w+)\s*=/gm)].map(([, name]) => name));
  const missing = Object.entries(secrets()).filter(([name]) => !names.has(name));
  const head =
    kept === "" ? "# Secrets of this installation: back them up, and share them with nobody.\n" : "";
  const separator = kept === "" || kept.endsWith("\n") ? "" : "\n";
  const lines = missing.map(([name, value]) => `${name}=${value}\n`).join("");
  replaceFile(envFile, head + kept + separator + lines, 0o600);
}

function secrets() {
  const listeners = ["GATEWAY_MERCHANT", "GATEWAY_OPERATOR", "GATEWAY_PUBLIC", "GATEWAY_STAFF"];
  const owners = [
    "GATEWAY_OWNER",
    "PAYMENTS_OWNER",
    "REFUNDS_OWNER",
    "WEBHOOKS_OWNER",
    "SETTLEMENT_OWNER",
    "CONSOLE_OWNER",
  ];
  const services = ["PAYMENTS_APP", "REFUNDS_APP", "WEBHOOKS_APP", "SETTLEMENT_APP", "CONSOLE_APP"];
  const roles = [...owners, ...listeners, ...services].map((role) => `${role}_PASSWORD`);
  const busUsers = [
    ...listeners,
    "PAYMENTS",
    "REFUNDS",
    "WEBHOOK_DISPATCHER",
    "SETTLEMENT",
    "INSTALLATION",
    "STREAM_KEEPER",
  ];
  // Passwords of the second logins, which processes move to while passwords are replaced (docs/keys.md).
  roles.push(...[...listeners, ...services].map((role) => `${role}_2_PASSWORD`));
  busUsers.push(...busUsers.map((user) => `${user}_2`));
  return {
    POSTGRES_PASSWORD: password(),
    HOLDFAST_AUDITOR_PASSWORD: password(),
    ...Object.fromEntries(roles.map((name) => [name, password()])),
    ...Object.fromEntries(busUsers.map((user) => [`NATS_PASSWORD_${user}`, password()])),
    CARD_SEALING_KEYS: `k1:${generateKey()}`,
    CREDENTIAL_PEPPERS: `1:${generateKey()}`,
    THREE_DS_STATE_KEYS: `k1:${generateKey()}`,
    PAN_FINGERPRINT_KEYS: `k1:${generateKey()}`,
    WEBHOOK_SECRET_KEYS: `k1:${generateKey()}`,
    ACCOUNT_SECRET_KEYS: `k1:${generateKey()}`,
    FILE_KEYS: `k1:${generateKey()}`,
    CONSOLE_SESSION_KEYS: `k1:${generateKey()}`,
    // For the profile `observability`.
    GRAFANA_ADMIN_PASSWORD: password(),
  };
}

/** 192 random bits; a letter first, because nats-server takes what looks like a number for one. */
function password() {
  return `p${randomBytes(24).toString("hex")}`;
}

function generateKey() {
  return randomBytes(32).toString("base64");
}

function keepOperatorKey() {
  if (!existsSync(keyFile)) {
    const generated = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    replaceFile(keyFile, JSON.stringify(generated.export({ format: "jwk" })), 0o600);
  }
  const privateKey = createPrivateKey({ key: JSON.parse(readFileSync(keyFile, "utf8")), format: "jwk" });
  const publicKey = createPublicKey(privateKey).export({ format: "jwk" });
  const keys = [{ ...publicKey, kid: "compose", alg: "ES256", use: "sig" }];
  // Readable by the container's user: it holds no secret.
  replaceFile(jwksFile, `${JSON.stringify({ keys }, null, 2)}\n`, 0o644);
  return privateKey;
}

/** Kept until a month before it ends, and then signed again by the same authority, which the services trust. */
async function keepCertificates(name, { authority, host }) {
  const directory = join(resolve(dir), ".compose", name);
  const { caFile, certFile, keyFile } = await localCertificates(directory, { authority, host });
  // Containers get the files one by one, and read them as other users than this one. No other user of this machine
  // comes through the directory.
  chmodSync(directory, 0o700);
  for (const file of [caFile, certFile, keyFile]) chmodSync(file, 0o644);
}

function people() {
  const everyRole = ["viewer", "approver", "onboarder", "operations", "admin"];
  // Two with every role, because some decisions take two different people.
  return [
    { name: "alice", roles: everyRole },
    { name: "bora", roles: everyRole },
    { name: "vera", roles: ["viewer"] },
    { name: "omer", roles: ["onboarder"] },
  ];
}

function operatorToken(subject, roles) {
  const now = Math.floor(Date.now() / 1000);
  const encode = (part) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const claims = { sub: subject, iss: issuer, aud: audience, iat: now, exp: now + 24 * 3600, roles };
  const signed = `${encode({ alg: "ES256", kid: "compose", typ: "at+jwt" })}.${encode(claims)}`;
  // JOSE wants both halves of the signature side by side, not in ASN.1.
  const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}

/** Gives the builds of the images the certificates of a proxy between this machine and npm that looks into TLS. */
function trustCompanyProxy() {
  const given = process.env.NODE_EXTRA_CA_CERTS;
  const certificates = join(root, "deploy", "build-certificates");
  if (given && existsSync(given)) copyFileSync(given, join(certificates, "node-extra-ca-certs.crt"));
}

function replaceFile(file, content, mode) {
  const unfinished = `${file}.new`;
  rmSync(unfinished, { force: true });
  writeFileSync(unfinished, content, { mode });
  renameSync(unfinished, file);
}

function instructions() {
  return `The secrets are in ${envFile} (mode 600, ignored by git). Now run:

  docker compose up --build --wait

Operators (bearer tokens, valid for 24 hours; run npm run compose:prepare again for new ones)
${operators.map(({ name, roles, token }) => `  ${name} (${roles.join(", ")})\n  ${token}`).join("\n")}

Create a first merchant; its secret is shown only once:

  curl -s http://127.0.0.1:8081/operator/merchants -H 'Content-Type: application/json' \\
    -H 'Authorization: Bearer ${operators[0].token}' \\
    -d '{"name":"Book Shop"}'

Two operators make the first account, at the acquirer simulator: docs/operators.md#the-first-account
`;
}
