import { busLoginsOf, OBSERVER } from "@holdfast/contracts";
import { busPermissions } from "./bus-permissions.ts";

/**
 * The users of the bus, each with its two logins, as part of nats-server's configuration
 * (https://docs.nats.io/running-a-nats-service/configuration/securing_nats/authorization): deny by default,
 * and no user for connections that do not sign in.
 *
 * @param password each login's password as a value of that language: a quoted string or a `$VARIABLE`. A
 * login without one is left out.
 * @param observed adds the observer, which may do everything: for sandboxes and tests.
 */
export function natsUsersConfig(options: {
  password: (login: string) => string | undefined;
  observed: boolean;
}): string {
  const users = [...busPermissions(options)].flatMap(([user, { publish, subscribe }]) =>
    (user === OBSERVER ? [user] : busLoginsOf(user)).map((login) => {
      const password = options.password(login);
      if (password === undefined) return "";
      return `    {
      user: ${JSON.stringify(login)}
      password: ${password}
      permissions: {
        publish: { allow: ${list(publish)} }
        subscribe: { allow: ${list(subscribe)} }
      }
    }
`;
    }),
  );
  return `authorization: {\n  users: [\n${users.join("")}  ]\n}\n`;
}

function list(subjects: string[]): string {
  return `[\n${subjects.map((subject) => `          ${JSON.stringify(subject)}\n`).join("")}        ]`;
}

/** `password` for a file that is kept with the sources: the environment of nats-server has the passwords. */
export function passwordVariable(login: string): string {
  return `$NATS_PASSWORD_${login.toUpperCase().replaceAll("-", "_")}`;
}

/** deploy/nats/users.conf, which a nats-server's configuration includes. */
export function deployedUsersConfig(): string {
  return `# Written by \`npm run generate\` from the contracts; not to be edited.
# Passwords come from nats-server's environment. Each begins with a letter: what looks like a number is read as one.
${natsUsersConfig({ password: passwordVariable, observed: false })}`;
}
