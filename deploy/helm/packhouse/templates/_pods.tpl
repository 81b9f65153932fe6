{{/* Parts of pods, the same in all of them. */}}

{{/* Takes the number of the user. */}}
{{- define "packhouse.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "packhouse.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* What all pods begin with. Takes a list: the root, the number of the user, whether it gets a token of Kubernetes.
`enableServiceLinks`: a service called packhouse would set PACKHOUSE_PORT. */}}
{{- define "packhouse.podStart" -}}
{{- $values := (index . 0).Values }}
automountServiceAccountToken: {{ index . 2 }}
enableServiceLinks: false
securityContext:
  {{- include "packhouse.podSecurity" (index . 1) | nindent 2 }}
{{- with $values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Image, security and mounts of a container of Packhouse. */}}
{{- define "packhouse.containerStart" -}}
image: {{ include "packhouse.image" (list .Values.image .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  {{- include "packhouse.containerSecurity" . | nindent 2 }}
{{- end }}

{{/* The names of secrets in the values → the settings whose values are in their files. */}}
{{- define "packhouse.settingsOfSecrets" -}}
database: DATABASE_URL
redis: REDIS_URL
spark: SPARK_URL
secretKey: SECRET_KEY
previousSecretKey: PREVIOUS_SECRET_KEY
adminKey: ADMIN_KEY
prometheusUrl: PROMETHEUS_URL
prometheusToken: PROMETHEUS_TOKEN
{{- end }}

{{/* The secrets of a component, as YAML: name → Secret and key. Only the api has the first key, none the DDL user. */}}
{{- define "packhouse.secretsOf" -}}
{{- $left := ternary (list "databaseDdl") (list "databaseDdl" "adminKey") (eq (index . 1) "api") }}
{{- range $name, $place := omit (include "packhouse.secrets" (index . 0) | fromYaml) (index $left 0) }}
{{- if not (has $name $left) }}
{{ $name }}: {{ toJson $place }}
{{- end }}
{{- end }}
{{- end }}

{{/* The environment of a component. Takes a list: the root, the component. */}}
{{- define "packhouse.env" -}}
{{- $root := index . 0 }}
{{- $component := index . 1 }}
- {name: PACKHOUSE_DATA_DIR, value: /var/lib/packhouse}
- {name: PACKHOUSE_HOST, value: {{ $root.Values.listenAddress | quote }}}
{{- if eq $component "api" }}
- {name: PACKHOUSE_PORT, value: "8080"}
- {name: PACKHOUSE_TASKS_HOST, value: {{ $root.Values.listenAddress | quote }}}
- {name: PACKHOUSE_TASKS_PORT, value: "8081"}
{{- else }}
- {name: PACKHOUSE_METRICS_PORT, value: "9090"}
{{- end }}
- {name: PACKHOUSE_PACE_URL, value: {{ include "packhouse.paceUrl" $root | quote }}}
{{- if eq $root.Values.spark.mode "deployment" }}
- {name: PACKHOUSE_SPARK_URL, value: "sc://{{ include "packhouse.fullname" $root }}-spark:15002"}
{{- end }}
{{- $settings := include "packhouse.settingsOfSecrets" $root | fromYaml }}
{{- range $name, $_ := include "packhouse.secretsOf" . | fromYaml }}
- {name: PACKHOUSE_{{ index $settings $name }}, value: "file:/var/lib/packhouse/secrets/{{ $name }}"}
{{- end }}
{{- with $root.Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "packhouse.mounts" -}}
- {name: data, mountPath: /var/lib/packhouse}
- {name: tmp, mountPath: /tmp}
- {name: secrets, mountPath: /var/lib/packhouse/secrets, readOnly: true}
{{- if .Values.existingSecret.catalogs.name }}
- {name: catalogs, mountPath: /etc/packhouse/catalogs, readOnly: true}
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Takes a list: the root, the component. */}}
{{- define "packhouse.volumes" -}}
{{- $root := index . 0 }}
- {name: data, emptyDir: {sizeLimit: 1Gi}}
- {name: tmp, emptyDir: {sizeLimit: 1Gi}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- range $name, $place := include "packhouse.secretsOf" . | fromYaml }}
      - secret: {name: {{ $place.secret | quote }}, items: [{key: {{ $place.key | quote }}, path: {{ $name }}}]}
      {{- end }}
{{- with $root.Values.existingSecret.catalogs.name }}
- {name: catalogs, secret: {secretName: {{ . | quote }}, defaultMode: 0440}}
{{- end }}
{{- with $root.Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The container that migrates the database, with the secret that only it has; safe in several pods at once. */}}
{{- define "packhouse.migrate" -}}
- name: migrate
  args: [migrate]
  {{- include "packhouse.containerStart" . | nindent 2 }}
  env:
    - {name: PACKHOUSE_DATA_DIR, value: /var/lib/packhouse}
    - {name: PACKHOUSE_DATABASE_URL, value: "file:/var/lib/packhouse/ddl/database"}
  resources:
    {{- toYaml .Values.migrations.resources | nindent 4 }}
  volumeMounts:
    - {name: data, mountPath: /var/lib/packhouse}
    - {name: tmp, mountPath: /tmp}
    - {name: ddl, mountPath: /var/lib/packhouse/ddl, readOnly: true}
{{- end }}

{{- define "packhouse.ddlVolume" -}}
{{- $secrets := include "packhouse.secrets" . | fromYaml }}
{{- $place := $secrets.databaseDdl | default $secrets.database }}
- name: ddl
  secret:
    secretName: {{ $place.secret | quote }}
    defaultMode: 0440
    items: [{key: {{ $place.key | quote }}, path: database}]
{{- end }}
