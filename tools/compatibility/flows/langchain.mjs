import { DynamoDBChatMessageHistory } from "@langchain/community/stores/message/dynamodb";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { assert, config, createTable, step } from "./flow.mjs";

const history = (sessionId) => new DynamoDBChatMessageHistory({ tableName: "Chats", partitionKey: "id", sessionId, config });

await step("create table", () => createTable("Chats", { id: "S" }));
await step("put", async () => {
  await history("one").addMessage(new HumanMessage("Who are you?"));
  await history("one").addMessage(new AIMessage("A table."));
});
await step("get", async () => {
  const messages = await history("one").getMessages();
  assert.deepEqual(messages.map((each) => each.content), ["Who are you?", "A table."]);
  assert.deepEqual(await history("two").getMessages(), []);
});
await step("delete", async () => {
  await history("one").clear();
  assert.deepEqual(await history("one").getMessages(), []);
});
