const client = require("@holdfast/client");

void import("./merchant.mjs").then(({ useClient }) => useClient(client));
