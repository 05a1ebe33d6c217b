{{/* What several templates share: labels, the closed container, settings whose digest rolls pods. */}}

{{/* Of an object: (dict "root" $ "name" "gateway"). */}}
{{- define "kritai.meta" -}}
name: {{ .name }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "kritai.labels" . | nindent 2 }}
{{- end }}

{{- define "kritai.labels" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/part-of: kritai
{{- end }}

{{- define "kritai.selector" -}}
app.kubernetes.io/name: {{ . }}
{{- end }}

{{- define "kritai.pod" -}}
enableServiceLinks: false
automountServiceAccountToken: false
{{- end }}

{{- define "kritai.closed" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "kritai.metrics" -}}
prometheus.io/scrape: "true"
prometheus.io/port: {{ . | quote }}
prometheus.io/path: /metrics
{{- end }}

{{- define "kritai.texts" -}}
{{- range $name, $value := . }}
{{ $name }}: {{ if kindIs "float64" $value }}{{ $value | int64 | quote }}{{ else }}{{ $value | toString | quote }}{{ end }}
{{- end }}
{{- end }}

{{- define "kritai.service.settings" -}}
{{- $way := dict }}
{{- if .Values.gateway.enabled }}
{{- $way = dict "VERIFIER_URL" "http://gateway:8791" "VERIFIER_PROTOCOL" "verify" }}
{{- else if not .Values.service.settings.VERIFIER_URL }}
{{- fail "service.settings.VERIFIER_URL: required if gateway.enabled is false: the verifier's URL" }}
{{- end }}
{{- include "kritai.texts" (merge (dict) .Values.service.settings $way) }}
{{- end }}

{{- define "kritai.gateway.settings" -}}
{{- $urls := .Values.gateway.engineUrls }}
{{- if and .Values.engine.enabled $urls }}
{{- fail "gateway.engineUrls: may be given only where engine.enabled is false" }}
{{- else if .Values.engine.enabled }}
{{- $scaling := .Values.engine.autoscaling }}
{{- $urls = list }}
{{- /* Every replica that may come to be: the gateway leaves out those that do not answer. */}}
{{- range $n := until (int (ternary $scaling.max .Values.engine.replicas $scaling.enabled)) }}
{{- $urls = append $urls (printf "http://engine-%d.engine:8000" $n) }}
{{- end }}
{{- else if not $urls }}
{{- fail "gateway.engineUrls: required where engine.enabled is false, the engines' URLs" }}
{{- end }}
{{- $own := dict "ENGINE_URL" (join "," $urls) "ENGINE_MODEL" .Values.engine.name "ENGINE_MAX_IN_FLIGHT" .Values.engine.generationsMax "GATEWAY_DRAIN_MS" 600000 }}
{{- include "kritai.texts" (merge (dict) .Values.gateway.settings $own) }}
{{- end }}

{{- define "kritai.engine.settings" -}}
{{- include "kritai.texts" (dict "MODEL" .Values.engine.model "ENGINE_MODEL" .Values.engine.name "TENSOR_PARALLEL" .Values.engine.tensorParallel "REASONING_PARSER" .Values.engine.reasoningParser "GENERATIONS_MAX" .Values.engine.generationsMax) }}
{{- end }}

{{- define "kritai.nginx" -}}
{{ tpl (.Files.Get "files/nginx.conf") . }}
{{- end }}
