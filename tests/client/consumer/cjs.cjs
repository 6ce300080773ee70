const client = require("@holdfast/client");

void import("./merchant.mjs")
  .then(({ useClient }) => useClient(client, process.argv.slice(2)))
  .then((came) => process.stdout.write(JSON.stringify(came)));
