// What the synthesis lists of the wheel name, less what this configuration never instantiates.
// The sources of Ibex are below `core`.
// Without it the core prints its illegal instructions to the console of the program.
+define+SYNTHESIS
+incdir+core/rtl
+incdir+core/vendor/lowrisc_ip/ip/prim/rtl
+incdir+core/vendor/lowrisc_ip/dv/sv/dv_utils
core/dv/uvm/core_ibex/common/prim/prim_pkg.sv
core/vendor/lowrisc_ip/ip/prim/rtl/prim_util_pkg.sv
core/vendor/lowrisc_ip/ip/prim/rtl/prim_ram_1p_pkg.sv
core/vendor/lowrisc_ip/ip/prim/rtl/prim_cipher_pkg.sv
core/vendor/lowrisc_ip/ip/prim/rtl/prim_count_pkg.sv
core/vendor/lowrisc_ip/ip/prim/rtl/prim_secded_pkg.sv
core/vendor/lowrisc_ip/ip/prim/rtl/prim_mubi_pkg.sv
core/vendor/lowrisc_ip/ip/prim_generic/rtl/prim_generic_buf.sv
core/dv/uvm/core_ibex/common/prim/prim_buf.sv
core/rtl/ibex_pkg.sv
core/rtl/ibex_alu.sv
core/rtl/ibex_branch_predict.sv
core/rtl/ibex_compressed_decoder.sv
core/rtl/ibex_controller.sv
core/rtl/ibex_csr.sv
core/rtl/ibex_cs_registers.sv
core/rtl/ibex_counter.sv
core/rtl/ibex_decoder.sv
core/rtl/ibex_ex_block.sv
core/rtl/ibex_wb_stage.sv
core/rtl/ibex_id_stage.sv
core/rtl/ibex_if_stage.sv
core/rtl/ibex_load_store_unit.sv
core/rtl/ibex_multdiv_slow.sv
core/rtl/ibex_multdiv_fast.sv
core/rtl/ibex_prefetch_buffer.sv
core/rtl/ibex_fetch_fifo.sv
core/rtl/ibex_register_file_ff.sv
core/rtl/ibex_pmp.sv
core/rtl/ibex_core.sv
core/rtl/ibex_top.sv
