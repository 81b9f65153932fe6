{{/* Names, labels and checks. No template looks anything up in the cluster: renderings are the same under Argo CD. */}}

{{- define "packhouse.fullname" -}}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride }}
{{- else if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* The labels of all objects. Of those of pods only `packhouse.selector` selects, which never changes. */}}
{{- define "packhouse.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: packhouse
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* Takes a list: the root, the component. */}}
{{- define "packhouse.selector" -}}
app.kubernetes.io/name: {{ (index . 0).Chart.Name }}
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "packhouse.serviceAccountName" -}}
{{- if .Values.serviceAccount.name }}{{ .Values.serviceAccount.name }}
{{- else if .Values.serviceAccount.create }}{{ include "packhouse.fullname" . }}
{{- else }}default
{{- end }}
{{- end }}

{{/* Takes a list: an image of the values, the tag without one. */}}
{{- define "packhouse.image" -}}
{{- $image := index . 0 }}
{{- if $image.digest }}{{ printf "%s@%s" $image.repository $image.digest }}
{{- else }}{{ printf "%s:%s" $image.repository ($image.tag | default (index . 1)) }}
{{- end }}
{{- end }}

{{/* A value as the text of an environment variable: whole numbers without an exponent, maps as JSON. */}}
{{- define "packhouse.text" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) }}{{ int64 . }}
{{- else if kindIs "map" . }}{{ toJson . }}
{{- else }}{{ . }}
{{- end }}
{{- end }}

{{/* Where each secret is, as YAML: its name in the values → Secret and key; only of those that are given. */}}
{{- define "packhouse.secrets" -}}
{{- $root := . }}
{{- range $name, $given := omit .Values.existingSecret "catalogs" }}
{{- if and $root.Values.externalSecrets.enabled (hasKey $root.Values.externalSecrets.secrets $name) }}
{{ $name }}: {secret: {{ include "packhouse.fullname" $root }}-external, key: {{ $name }}}
{{- else if $given.name }}
{{ $name }}: {secret: {{ $given.name | quote }}, key: {{ $given.key | quote }}}
{{- end }}
{{- end }}
{{- end }}

{{- define "packhouse.paceUrl" -}}
{{- if .Values.tasks.url }}{{ .Values.tasks.url }}
{{- else }}
{{- $name := include "packhouse.fullname" . }}
{{- printf "http://%s-tasks.%s.svc:%v/internal/pace" $name .Release.Namespace .Values.tasks.service.port }}
{{- end }}
{{- end }}

{{/* Refuse values that can't work, all at once. */}}
{{- define "packhouse.check" -}}
{{- $v := .Values }}
{{- $secrets := include "packhouse.secrets" . | fromYaml }}
{{- $external := $v.externalSecrets }}
{{- $schema := or (hasKey $external.secrets "database") (hasKey $external.secrets "databaseDdl") }}
{{- $own := eq $v.spark.mode "deployment" }}
{{- $unknown := "%s is empty: name a Secret of the namespace, or set externalSecrets.secrets.%s" }}
{{- $rules := list (list (not $v.image.repository) "image.repository is empty: set it to where you pushed the image") }}
{{- range ternary (list "database" "redis" "secretKey") (list "database" "redis" "secretKey" "spark") $own }}
{{- $rules = append $rules (list (not (hasKey $secrets .)) (printf $unknown (printf "existingSecret.%s.name" .) .)) }}
{{- end }}
{{- range $name, $given := dict "api" $v.api.autoscaling "worker" $v.worker.autoscaling }}
{{- $rules = append $rules (list
  (and $given.enabled (gt (int $given.minReplicas) (int $given.maxReplicas)))
  (printf "%s.autoscaling.minReplicas is above maxReplicas" $name)) }}
{{- end }}
{{- $rules = concat $rules (list
  (list (and $external.enabled (not $external.store.name))
    "externalSecrets.store.name is empty: name a store of the External Secrets Operator")
  (list (and (not $external.enabled) (not (empty $external.secrets)))
    "externalSecrets.secrets is set, and externalSecrets.enabled is false: set it to true")
  (list (and $external.enabled (eq $v.migrations.mode "hook") $schema)
    "externalSecrets has the secret of the database: a hook runs before it exists, so use init or existingSecret")
  (list (and (or $v.ingress.enabled $v.httpRoute.enabled) (not $v.config.trusted_proxies))
    "config.trusted_proxies is empty: behind a proxy set it to its networks, or all clients share one address")
  (list (and $v.ingress.enabled (not $v.ingress.host))
    "ingress.host is empty: set it to the name of the API")
  (list (and $v.httpRoute.enabled (empty $v.httpRoute.parentRefs))
    "httpRoute.parentRefs is empty: name a Gateway")
  (list (and $v.worker.autoscaling.enabled (not $v.worker.autoscaling.serverAddress))
    "worker.autoscaling.serverAddress is empty: set it to the URL of Prometheus")
  (list (and $own (not $v.spark.image.repository))
    "spark.image.repository is empty: set it to an image of Spark with Python, pyarrow, numpy and obstore")
  (list (and $own (not $v.spark.image.tag) (not $v.spark.image.digest))
    "spark.image.tag is empty: set it to the version of the image, or set the digest")
  (list (and $own (hasKey $secrets "spark"))
    "existingSecret.spark and spark.mode deployment exclude each other: leave one out")) }}
{{- $faults := list }}
{{- range $rules }}
{{- if index . 0 }}{{ $faults = append $faults (index . 1) }}{{ end }}
{{- end }}
{{- if $faults }}{{ fail (printf "values that can't be used:\n  - %s" (join "\n  - " $faults)) }}{{ end }}
{{- end }}
