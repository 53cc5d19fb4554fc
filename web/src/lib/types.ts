// The shapes of the API's answers: names for what the OpenAPI document defines.

import type { components } from './api.gen';

type Schemas = components['schemas'];

export type Labels = Record<string, string>;

/** One request, span or event: a row of a listing and the whole of a detail. */
export type Row = Schemas['Record'];
export type Page = Schemas['Rows'];
export type Trace = Schemas['Trace'];
export type Histogram = Schemas['Histogram'];
export type Tile = Schemas['Tile'];
export type RouteStats = Schemas['Route'];
export type Overview = Schemas['Overview'];
export type Journey = Schemas['Journey'];
export type JourneyRow = Schemas['JourneyRow'];
export type TailStatus = Schemas['TailStatus'];
export type Missed = Schemas['Missed'];
export type Problem = Schemas['Problem'];

/** Either heatmap as it is sent: a list that would be empty is left out. */
export type Heatmap = Schemas['Heatmap'];
type Cells = Omit<Heatmap, 'buckets' | 'routes'>;
/** The heatmap by latency; its cells are [column, bucket, count]. */
export type LatencyHeatmap = Cells & { buckets: Schemas['LatencyBucket'][] };
/** The heatmap by route; its cells are [column, route, count, errors, p95 in ms]. */
export type RouteHeatmap = Cells & { routes: Schemas['RouteName'][] };
