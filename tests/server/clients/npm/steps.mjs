// node steps.mjs PORT VERSION: what the vendor's client of npm gets from a server, by gRPC, as one line of JSON.
import aiplatform from '@google-cloud/aiplatform';
import grpc from '@grpc/grpc-js';

const [port, version] = process.argv.slice(2);
const store = 'projects/acme/locations/us/featureOnlineStores/serving';
const riders = `${store}/featureViews/riders`;
const menu = 'projects/acme/locations/us/featureOnlineStores/vectors/featureViews/menu';
const bigQuerySource = {uri: 'bq://acme.serving.riders', entityIdColumns: ['rider_id']};
const options = {
  apiEndpoint: '127.0.0.1',
  port: Number(port),
  sslCreds: grpc.credentials.createInsecure(),
  projectId: 'acme',
};
const admin = new aiplatform[version].FeatureOnlineStoreAdminServiceClient(options);
const serving = new aiplatform[version].FeatureOnlineStoreServiceClient(options);

async function refusal(call) {
  try {
    await call();
    return null;
  } catch (error) {
    const violations = (error.statusDetails ?? []).flatMap(detail => detail.fieldViolations ?? []);
    return {code: error.code, reason: error.reason, fields: violations.map(violation => violation.field)};
  }
}

function exchange(stream, requests) {
  return new Promise((resolve, reject) => {
    const answers = [];
    stream.on('data', answer => answers.push(answer));
    stream.on('end', () => resolve(answers));
    stream.on('error', reject);
    for (const request of requests) stream.write(request);
    stream.end();
  });
}

const create = (featureViewId, fields = {}) =>
  admin.createFeatureView({parent: store, featureViewId, featureView: {bigQuerySource, ...fields}});

const result = {};
const [operation] = await create('copy', {labels: {team: 'a'}, serviceAgentType: 'SERVICE_AGENT_TYPE_PROJECT'});
const [view] = await operation.promise();
result.created = {name: view.name, uri: view.bigQuerySource.uri, agent: view.serviceAgentType, labels: view.labels};
const polled = await admin.checkCreateFeatureViewProgress(operation.name);
result.polled = polled.done;
const featureView = {name: view.name, syncConfig: {cron: '0 4 * * *'}};
const [update] = await admin.updateFeatureView({featureView, updateMask: {paths: ['sync_config.cron']}});
result.updated = (await update.promise())[0].syncConfig.cron;
result.listed = (await admin.listFeatureViews({parent: store, pageSize: 1}))[0].map(listed => listed.name);
const [{featureViewSync}] = await admin.syncFeatureView({featureView: riders});
const [sync] = await admin.getFeatureViewSync({name: featureViewSync});
result.synced = {rows: Number(sync.syncSummary.rowSynced), code: sync.finalStatus.code};
result.syncs = (await admin.listFeatureViewSyncs({parent: riders}))[0].length;
const [values] = await serving.fetchFeatureValues({featureView: riders, dataKey: {key: 'ana'}});
const features = Object.fromEntries(values.keyValues.features.map(({name, value}) => [name, value]));
result.fetched = {trips: Number(features.trips.int64Value), rating: features.rating.doubleValue};
const [struct] = await serving.fetchFeatureValues({
  featureView: riders,
  dataKey: {compositeKey: {parts: ['ben']}},
  dataFormat: 'PROTO_STRUCT',
});
result.struct = struct.protoStruct.fields.trips.numberValue;
await admin.syncFeatureView({featureView: menu});
const query = {embedding: {value: [1, 0]}, neighborCount: 2, stringFilters: [{name: 'cuisine', allowTokens: ['thai']}]};
const [near] = await serving.searchNearestEntities({featureView: menu, query, returnFullEntity: true});
result.near = near.nearestNeighbors.neighbors.map(neighbor => neighbor.entityId);
const [token] = await serving.generateFetchAccessToken({featureView: riders});
result.token = token.accessToken.length > 0;

const written = (key, name, value) => ({
  featureView: riders,
  dataKeyAndFeatureValues: [{dataKey: {key}, features: [{name, value}]}],
});
const writes = [written('ana', 'trips', {int64Value: 99}), written('ana', 'trips', {stringValue: 'x'})];
const writeAnswers = await exchange(serving.featureViewDirectWrite(), writes);
result.written = writeAnswers.map(answer => answer.status?.code ?? 0);
if (serving.streamingFetchFeatureValues) {
  const requests = Array.from({length: 50}, (_, at) => ({featureView: riders, dataKeys: [{key: at % 2 ? 'ana' : 'ben'}]}));
  const answers = await exchange(serving.streamingFetchFeatureValues(), requests);
  result.streamed = answers.map(answer => answer.data[0].dataKey.key);
}
result.refusals = {
  cron: await refusal(() => create('bad', {syncConfig: {cron: '0 25 * * *'}})),
  missing: await refusal(() => admin.getFeatureView({name: `${store}/featureViews/no`})),
  entity: await refusal(() => serving.fetchFeatureValues({featureView: riders, dataKey: {key: 'nobody'}})),
};
const [deletion] = await admin.deleteFeatureView({name: view.name});
await deletion.promise();
result.left = (await admin.listFeatureViews({parent: store}))[0].map(listed => listed.name);
console.log(JSON.stringify(result));
process.exit(0);
