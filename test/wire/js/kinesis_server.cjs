// kinesalite on loopback, in memory: node kinesis_server.cjs PORT (0 picks a free one). Says where it listens.
const kinesalite = require("kinesalite");

const server = kinesalite({ createStreamMs: 0, deleteStreamMs: 0, shardLimit: 1000 });
server.listen(Number(process.argv[2]), "127.0.0.1", () => console.log(server.address().port));
