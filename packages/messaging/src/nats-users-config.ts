import { busPermissions } from "./bus-permissions.ts";

/**
 * The users of the bus as part of nats-server's configuration
 * (https://docs.nats.io/running-a-nats-service/configuration/securing_nats/authorization): deny by default, and no user
 * for connections that do not sign in.
 *
 * @param password of each user as a value of that language: a quoted string or a `$VARIABLE`.
 * @param observed adds the observer, who may do everything: for sandboxes and tests.
 */
export function natsUsersConfig(options: { password: (user: string) => string; observed: boolean }): string {
  const users = [...busPermissions(options)].map(
    ([user, { publish, subscribe }]) => `    {
      user: ${JSON.stringify(user)}
      password: ${options.password(user)}
      permissions: {
        publish: { allow: ${list(publish)} }
        subscribe: { allow: ${list(subscribe)} }
      }
    }
`,
  );
  return `authorization: {\n  users: [\n${users.join("")}  ]\n}\n`;
}

function list(subjects: string[]): string {
  return `[\n${subjects.map((subject) => `          ${JSON.stringify(subject)}\n`).join("")}        ]`;
}

/** `password` for a file that is kept with the sources: the environment of nats-server has the passwords. */
export function passwordVariable(user: string): string {
  return `$NATS_PASSWORD_${user.toUpperCase().replaceAll("-", "_")}`;
}

/** deploy/nats/users.conf, which a nats-server's configuration includes. */
export function deployedUsersConfig(): string {
  return `# Written by \`npm run generate\` from the contracts; not to be edited.
# Passwords come from nats-server's environment. Each begins with a letter: what looks like a number is read as one.
${natsUsersConfig({ password: passwordVariable, observed: false })}`;
}
